// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module with kernels and a global variable; with -DLIBRARY, one that another program opens. Exit status 3: a result
// is wrong.
#include <omp.h>
#include <stdio.h>

#pragma omp declare target
int offset = 5;
#pragma omp end declare target

int compute(void) {
  int a[64], host = -1, wrong = 0;
#pragma omp target map(from : a, host)
  {
    for (int i = 0; i < 64; i++)
      a[i] = i + offset;
    host = omp_is_initial_device();
  }
#pragma omp target teams distribute parallel for map(tofrom : a)
  for (int i = 0; i < 64; i++)
    a[i] *= 2;
  for (int i = 0; i < 64; i++)
    wrong += a[i] != 2 * (i + 5);
  printf("ran on the %s, %d wrong\n", host ? "host" : "device", wrong);
  return wrong ? 3 : 0;
}

#ifndef LIBRARY
int main(void) { return compute(); }
#endif
