// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of one warp that wait for a lock which another lane of it has: NVIDIA's GPUs promise that it goes on, wherever
// lanes that have the lock already would meet the others.
// REQUIRES: emulator-cuda
// RUN: %clang %s -o %t
// RUN: %run %t
// RUN: %run SIM_EXECUTOR_SEED=7 SIM_EXECUTOR_QUANTUM=3 %t
// RUN: %run SIM_EXECUTOR_SEED=8 SIM_EXECUTOR_QUANTUM=1000 %t

#include "one_at_a_time.h"

int main(void) {
  Visits visits = {0};
  int lock = 0;
#pragma omp target parallel num_threads(THREADS) map(tofrom : visits, lock)
  {
    const int thread = omp_get_thread_num();
    if (goes_in(thread)) {
      int free = 0;
      while (!__atomic_compare_exchange_n(&lock, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        free = 0;
      visit(&visits, thread);
      __atomic_exchange_n(&lock, 0, __ATOMIC_ACQ_REL);
    }
  }
  check_visits(&visits);
  return finish();
}
