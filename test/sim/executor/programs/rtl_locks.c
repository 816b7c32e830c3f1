// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks of our own device RTL exclude. One thread of each wave takes them, as lanes of a wave of AMD's cannot wait for each other.
// LLVM 16's and 19's excludes nobody on NVIDIA's GPUs, and is a trap on AMD's (locks.c, trapping_locks.c).
// REQUIRES: rtl-ours
// RUN: %clang %s -o %t
// RUN: %run %t
// RUN: %run SIM_EXECUTOR_SEED=7 SIM_EXECUTOR_QUANTUM=3 %t

#include "check.h"

#define THREADS 128

int main(void) {
  int inside = 0, together = 0, visits = 0, depth = 0;
#pragma omp target map(tofrom : inside, together, visits, depth)
  {
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(THREADS)
    if (omp_get_thread_num() % 64 == 0) {
      omp_set_lock(&lock);
      for (int i = 0; i < 50; i++) {
        if (__atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST) != 0)
          __atomic_exchange_n(&together, 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
      }
      visits++;
      omp_unset_lock(&lock);
      omp_set_nest_lock(&nest);
      const int again = omp_test_nest_lock(&nest);
      depth += again;
      omp_unset_nest_lock(&nest);
      omp_unset_nest_lock(&nest);
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
  }
  CHECK_EQ(together, 0);
  CHECK_EQ(visits, THREADS / 64);
  CHECK_EQ(depth, 2 * (THREADS / 64));
  return finish();
}
