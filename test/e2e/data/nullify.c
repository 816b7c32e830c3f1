// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The result of use_device_ptr for absent data: the pointer as it was, or null (fb_nullify).

// RUN: %clang -fopenmp-version=61 %s -o %t
// RUN: %run %t
// REQUIRES: clang-23-or-later

#include "check.h"

static int absent[4], present[4];

int main(void) {
  int *nullified = absent, *preserved = absent, *plain = absent, *found = present;
#pragma omp target data map(to : present) use_device_ptr(fb_nullify : nullified, found)                                \
    use_device_ptr(fb_preserve : preserved) use_device_ptr(plain)
  {
    CHECK(nullified == NULL);
    CHECK(preserved == absent);
    CHECK(plain == absent);
    CHECK(found == omp_get_mapped_ptr(present, omp_get_default_device()));
    CHECK(found != NULL && found != present);
  }
  CHECK(nullified == absent);
  return finish();
}
