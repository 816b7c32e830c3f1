// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program as users have it. A result that no clause brings back stays on the device.
// RUN: %gcc %s -o %t
// RUN: %run %t
// RUN: %gcc -O2 %s -o %t
// RUN: %run %t
#include "check.h"

enum { kCount = 1000 };

int main(void) {
  double a[kCount], b[kCount], c[kCount], sum = 0;
  for (int i = 0; i < kCount; ++i)
    a[i] = i, b[i] = 2 * i, c[i] = -1;
#pragma omp target teams distribute parallel for map(to : a, b) map(from : c) reduction(+ : sum)
  for (int i = 0; i < kCount; ++i) {
    HERE();
    c[i] = a[i] + b[i];
    sum += c[i];
  }
  CHECK_EQ(sum, 3.0 * kCount * (kCount - 1) / 2);
  for (int i = 0; i < kCount; ++i)
    CHECK_EQ(c[i], 3 * i);

  int forgotten = 0, values[4] = {1, 2, 3, 4};
#pragma omp target data map(to : values, forgotten)
  {
#pragma omp target
    for (int i = 0; i < 4; ++i)
      forgotten += values[i];
  }
  CHECK_EQ(forgotten, 0);
  return finish();
}
