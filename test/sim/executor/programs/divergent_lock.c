// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of one warp that wait for a lock which another lane of it has: NVIDIA's GPUs promise that it goes on, wherever lanes that
// have the lock already would meet the others.
// REQUIRES: sim-cuda
// RUN: %clang %s -o %t
// RUN: %run %t
// RUN: %run SIM_EXECUTOR_SEED=7 SIM_EXECUTOR_QUANTUM=3 %t
// RUN: %run SIM_EXECUTOR_SEED=8 SIM_EXECUTOR_QUANTUM=1000 %t

#include "check.h"

#define THREADS 96

int main(void) {
  int count = 0, sum = 0, lock = 0, inside = 0, together = 0;
#pragma omp target parallel num_threads(THREADS) map(tofrom : count, sum, lock, inside, together)
  {
    const int thread = omp_get_thread_num();
    if (thread % 3 != 1) {
      int free = 0;
      while (!__atomic_compare_exchange_n(&lock, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        free = 0;
      volatile int *guard = &inside;
      if (*guard != 0)
        together++;
      *guard = 1;
      *(volatile int *)&count += 1;
      *(volatile int *)&sum += thread;
      *guard = 0;
      __atomic_exchange_n(&lock, 0, __ATOMIC_ACQ_REL);
    }
  }
  int wanted_count = 0, wanted_sum = 0;
  for (int thread = 0; thread < THREADS; ++thread)
    if (thread % 3 != 1) {
      wanted_count++;
      wanted_sum += thread;
    }
  CHECK_EQ(together, 0);
  CHECK_EQ(count, wanted_count);
  CHECK_EQ(sum, wanted_sum);
  return finish();
}
