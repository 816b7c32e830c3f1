// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of two square matrices of floats by tiles in shared memory; on the host by plain loops. Argument: the side,
// a multiple of 16.
#include "program.h"
#ifdef _OPENMP
#include <omp.h>
#endif

enum { kTile = 16 };

int main(int argc, char **argv) {
  const int n = (int)size_of_work(argc, argv, 512);
  float *a = malloc(sizeof(float) * n * n), *b = malloc(sizeof(float) * n * n), *c = malloc(sizeof(float) * n * n);
  for (int i = 0; i < n * n; ++i) {
    a[i] = (float)(i % 7) - 3;
    b[i] = (float)(i % 5) - 2;
    c[i] = 0;
  }
  double seconds = 0;
#ifdef _OPENMP
#pragma omp target data map(to : a[0 : n * n], b[0 : n * n]) map(tofrom : c[0 : n * n])
  {
    const int tiles = n / kTile;
    const double begin = now();
#pragma omp target teams num_teams(tiles * tiles) thread_limit(kTile * kTile)
    {
      float left[kTile][kTile], right[kTile][kTile];
#pragma omp parallel num_threads(kTile * kTile)
      {
        const int x = omp_get_thread_num() % kTile, y = omp_get_thread_num() / kTile;
        const int column = omp_get_team_num() % tiles * kTile + x, row = omp_get_team_num() / tiles * kTile + y;
        float sum = 0;
        for (int tile = 0; tile < tiles; ++tile) {
          left[y][x] = a[row * n + tile * kTile + x];
          right[y][x] = b[(tile * kTile + y) * n + column];
#pragma omp barrier
          for (int k = 0; k < kTile; ++k)
            sum += left[y][k] * right[k][x];
#pragma omp barrier
        }
        c[row * n + column] = sum;
      }
    }
    seconds = now() - begin;
  }
#else
  const double begin = now();
  for (int row = 0; row < n; ++row)
    for (int k = 0; k < n; ++k)
      for (int column = 0; column < n; ++column)
        c[row * n + column] += a[row * n + k] * b[k * n + column];
  seconds = now() - begin;
#endif
  double sum = 0;
  for (int i = 0; i < n * n; ++i)
    sum += (double)c[i] * (i % 11);
  tell(seconds, sum);
  return 0;
}
