// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of a five-point stencil on a square of floats. Argument: its side.
#include "program.h"

enum { kSteps = 2 };

int main(int argc, char **argv) {
  const long n = size_of_work(argc, argv, 4096);
  float *a = malloc(sizeof(float) * n * n), *b = malloc(sizeof(float) * n * n);
  for (long i = 0; i < n * n; ++i)
    a[i] = b[i] = (float)(i % 97) / 97;
  double seconds = 0;
#pragma omp target data map(tofrom : a[0 : n * n], b[0 : n * n])
  {
    const double begin = now();
    for (int step = 0; step < kSteps; ++step) {
      float *const from = step % 2 ? b : a, *const to = step % 2 ? a : b;
#pragma omp target teams distribute parallel for collapse(2) map(from[0 : n * n], to[0 : n * n])
      for (long y = 1; y < n - 1; ++y)
        for (long x = 1; x < n - 1; ++x)
          to[y * n + x] = 0.5f * from[y * n + x] + 0.125f * (from[y * n + x - 1] + from[y * n + x + 1] +
                                                            from[(y - 1) * n + x] + from[(y + 1) * n + x]);
    }
    seconds = now() - begin;
  }
  double sum = 0;
  for (long i = 0; i < n * n; ++i)
    sum += (double)a[i];
  tell(seconds, sum);
  return 0;
}
