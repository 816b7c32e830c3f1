// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region on a thread of a larger team leaves the thread as it was. It keeps a number of threads that was asked for,
// floating-point flags, and its level.

// RUN: %clang %s -o %t -lm
// RUN: %run OMP_NUM_THREADS=2,3,1 OMP_MAX_ACTIVE_LEVELS=4 %t

#include "check.h"

#include <fenv.h>
#include <omp.h>

static int run_region(void) {
  int done = 0;
#pragma omp target map(from : done)
  done = 1;
  return done;
}

static int in_larger_team(void) {
  int threads[2] = {0, 0}, kept[2] = {0, 0}, levels[2] = {-1, -1};
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
    volatile double zero = 0.0;
    volatile double infinite = 1.0 / zero;
    (void)infinite;
    const int level = omp_get_level();
    run_region();
    kept[me] = fetestexcept(FE_DIVBYZERO) != 0;
    levels[me] = omp_get_level() - level;
#pragma omp parallel num_threads(3) if (run_region())
#pragma omp single
    threads[me] = omp_get_num_threads();
  }
  for (int i = 0; i < 2; ++i) {
    CHECK_EQ(threads[i], 3);
    CHECK_EQ(kept[i], 1);
    CHECK_EQ(levels[i], 0);
  }
  return threads[0];
}

int main(void) {
  run_region();
  in_larger_team();
  return finish();
}
