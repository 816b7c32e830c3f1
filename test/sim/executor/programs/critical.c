// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A divergent critical section: each thread of a team goes in alone, lanes of one wave too, so that plain sums are right.
// LLVM 19's device RTL leaves the lock of critical sections undefined for NVIDIA's GPUs.
// REQUIRES: sim-amdgpu
// RUN: %clang %s -o %t && %run %t

#include "check.h"

#define THREADS 96

int main(void) {
  int count = 0, sum = 0, inside = 0, together = 0;
#pragma omp target map(tofrom : count, sum, inside, together)
#pragma omp parallel num_threads(THREADS)
  {
    const int thread = omp_get_thread_num();
    if (thread % 3 != 1) { // not all lanes of a wave
#pragma omp critical
      {
        volatile int *guard = &inside;
        if (*guard != 0)
          together++;
        *guard = 1;
        count++;
        sum += thread;
        *guard = 0;
      }
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
