// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thousands of mappings at once, taken apart in another order.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

int main(void) {
  enum { kMany = 3000 };
  static int many[2 * kMany];
  for (int i = 0; i < kMany; i++) {
    int *one = &many[2 * i];
    *one = i;
#pragma omp target enter data map(to : one[0 : 1])
  }
  for (int i = 0; i < kMany; i++) {
    int *one = &many[2 * ((i * 7) % kMany)];
#pragma omp target map(tofrom : one[0 : 1])
    {
      HERE();
      *one += 1;
    }
  }
  for (int i = 0; i < kMany; i++) {
    int *one = &many[2 * ((i * 11) % kMany)];
#pragma omp target exit data map(from : one[0 : 1])
  }
  int wrong = 0;
  for (int i = 0; i < kMany; i++)
    wrong += many[2 * i] != i + 1 || omp_target_is_present(&many[2 * i], 0);
  CHECK_EQ(wrong, 0);
  return finish();
}
