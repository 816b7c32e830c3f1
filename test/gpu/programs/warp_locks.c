// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locks that all lanes of several warps want at once, taken, tried and nested. Plain sums are right if each excludes
// the others. (Lanes of AMD's GPUs cannot wait for each other.)

#include "check.h"

enum { THREADS = 96, ROUNDS = 3 };

static void taken(void) {
  int sum = 0;
#pragma omp target map(tofrom : sum)
  {
    HERE();
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(THREADS)
    for (int round = 0; round < ROUNDS; round++) {
      omp_set_lock(&lock);
      volatile int *place = &sum;
      *place = *place + 1;
      omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
  }
  CHECK_EQ(sum, THREADS * ROUNDS);
}

static void tried(void) {
  int sum = 0;
#pragma omp target map(tofrom : sum)
  {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(THREADS)
    for (int round = 0; round < ROUNDS;) {
      if (!omp_test_lock(&lock))
        continue;
      volatile int *place = &sum;
      *place = *place + 1;
      omp_unset_lock(&lock);
      round++;
    }
    omp_destroy_lock(&lock);
  }
  CHECK_EQ(sum, THREADS * ROUNDS);
}

static void nested(void) {
  int sum = 0, depth = 0;
#pragma omp target map(tofrom : sum, depth)
  {
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(THREADS)
    {
      omp_set_nest_lock(&lock);
      depth += omp_test_nest_lock(&lock);
      volatile int *place = &sum;
      *place = *place + 1;
      omp_unset_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
    }
    omp_destroy_nest_lock(&lock);
  }
  CHECK_EQ(sum, THREADS);
  CHECK_EQ(depth, 2 * THREADS);
}

static void critical(void) {
  int sum = 0;
#pragma omp target map(tofrom : sum)
#pragma omp parallel num_threads(THREADS)
#pragma omp critical
  {
    volatile int *place = &sum;
    *place = *place + 1;
  }
  CHECK_EQ(sum, THREADS);
}

int main(void) {
  taken();
  tried();
  nested();
  critical();
  return finish();
}
