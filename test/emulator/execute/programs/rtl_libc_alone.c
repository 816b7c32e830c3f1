// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program whose only call of the C library is one that needs more than one unit of it finds them all.
// REQUIRES: rtl-ours
// RUN: %clang -DCALL='fputs("x", stderr) < 0' %s -o %t && %run %t
// RUN: %clang -DCALL='time(0) < 1000' %s -o %t && %run %t
// RUN: %clang -DCALL='clock() < 0' %s -o %t && %run %t
// RUN: %clang -DCALL='(errno = 0, aligned_alloc(3, 8) != 0) + (errno != EINVAL)' %s -o %t && %run %t
// RUN: %clang -DCALL='strtol("99999999999999999999", 0, 10) != __LONG_MAX__' %s -o %t && %run %t
// RUN: %if !clang-16 %{ %clang -DCALL='snprintf(0, 0, "%%g", 0.5) != 3' %s -o %t && %run %t %}

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(void) {
  int wrong = 1;
#pragma omp target map(from : wrong)
  wrong = CALL;
  return wrong;
}
