// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library with a region and a data region, for modules.c and others.
#include <omp.h>

int library_add(int *data, int value) {
  int is_host = 1;
#pragma omp target data map(tofrom : data[ : 4])
  {
#pragma omp target map(from : is_host)
    {
      is_host = omp_is_initial_device();
#ifndef __clang__
#pragma omp parallel num_threads(3) reduction(+ : is_host)
      is_host += omp_is_initial_device();
#endif
      for (int i = 0; i < 4; ++i)
        data[i] += value;
    }
  }
  return is_host;
}
