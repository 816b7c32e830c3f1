// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host threads that map, compute and unmap at the same time: data of their own, and data that they share.

// RUN: %clang %s -o %t
// RUN: %run %t
// The runtime of LLVM 15 loses entries that another thread revives.
// UNSUPPORTED: runtime-llvm-15

#include "check.h"

#define THREADS 8
#define ROUNDS 200
#define N 64

int main(void) {
  static int shared[N], own[THREADS][N];
  int errors = 0, on_host = 0;
  for (int i = 0; i < N; i++)
    shared[i] = i;
#pragma omp parallel num_threads(THREADS) reduction(+ : errors, on_host)
  {
    int *mine = own[omp_get_thread_num()];
    for (int round = 0; round < ROUNDS; round++) {
      int sum = 0, host = 1;
#pragma omp target map(to : shared) map(tofrom : mine[0 : N], sum) map(from : host)
      {
        host = omp_is_initial_device();
        for (int i = 0; i < N; i++) {
          mine[i] += shared[i];
          sum += shared[i];
        }
      }
      on_host += host;
      errors += sum != N * (N - 1) / 2;
      if (round % 10 == 0) {
#pragma omp target enter data map(to : shared)
#pragma omp target update to(shared)
#pragma omp target exit data map(release : shared)
      }
    }
  }
  CHECK_EQ(errors, 0);
  CHECK_EQ(on_host, 0);
  for (int t = 0; t < THREADS; t++)
    for (int i = 0; i < N; i++)
      CHECK_EQ(own[t][i], i * ROUNDS);
  CHECK(!omp_target_is_present(shared, 0));
  return finish();
}
