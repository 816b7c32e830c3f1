// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pointer and its data that are both present. A construct that maps the data through the pointer attaches it only if
// LIBOMPTARGET_TREAT_ATTACH_AUTO_AS_ALWAYS asks for it.

// RUN: %clang %s -o %t
// RUN: %run %t
// RUN: %run env LIBOMPTARGET_TREAT_ATTACH_AUTO_AS_ALWAYS=true %t attaches
// RUN: %run env LIBOMPTARGET_TREAT_ATTACH_AUTO_AS_ALWAYS=false %t
// REQUIRES: clang-22-or-later

#include "check.h"

static int data[4];
static int *pointer;

int main(int argc, char **argv) {
  int *on_device = NULL;
  (void)argv;
  pointer = data;
#pragma omp target enter data map(to : data)
#pragma omp target enter data map(to : pointer)
#pragma omp target enter data map(to : pointer[0 : 4])
#pragma omp target map(from : on_device) map(alloc : pointer)
  on_device = pointer;
  const int is_attached = on_device == omp_get_mapped_ptr(data, omp_get_default_device());
  CHECK(is_attached == (argc > 1));
  return finish();
}
