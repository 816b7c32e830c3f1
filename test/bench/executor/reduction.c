// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dot product of two arrays of floats, summed in doubles. Argument: elements.
#include "program.h"

int main(int argc, char **argv) {
  const long n = size_of_work(argc, argv, 1L << 24);
  float *a = malloc(sizeof(float) * n), *b = malloc(sizeof(float) * n);
  for (long i = 0; i < n; ++i) {
    a[i] = (float)(i % 16);
    b[i] = (float)(i % 3) - 1;
  }
  double sum = 0, seconds = 0;
#pragma omp target data map(to : a[0 : n], b[0 : n])
  {
    const double begin = now();
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
    for (long i = 0; i < n; ++i)
      sum += (double)a[i] * (double)b[i];
    seconds = now() - begin;
  }
  tell(seconds, sum);
  return 0;
}
