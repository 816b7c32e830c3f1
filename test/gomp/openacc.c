// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenACC stays libgomp's, beside OpenMP on the device.
// RUN: %gcc -fopenacc %s -o %t
// RUN: %run ACC_DEVICE_TYPE=host %t
#include "check.h"

int main(void) {
  int sum = 0, a[4] = {1, 2, 3, 4};
#pragma acc parallel loop copyin(a) copy(sum) reduction(+ : sum)
  for (int i = 0; i < 4; ++i)
    sum += a[i];
  CHECK_EQ(sum, 10);
#pragma omp target map(to : a) map(tofrom : sum)
  {
    HERE();
    sum += a[3];
  }
  CHECK_EQ(sum, 14);
  return finish();
}
