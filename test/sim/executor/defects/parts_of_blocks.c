// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of threads that are no whole warps, barriers of a part of the block, and variables that a thread sets for itself. With LLVM 19's
// device RTL threads that a warp has no room for make no team of their own.
// REQUIRES: clang-19-or-later
// RUN: %llvm-clang %s -o %t.llvm
// RUN: not %run %t.llvm | %FileCheck %s
// RUN: %our-clang %s -o %t
// RUN: %run %t
// RUN: %run SIM_EXECUTOR_SEED=5 SIM_EXECUTOR_RACES=1 %t
// RUN: %run SIM_EXECUTOR_SEED=6 SIM_EXECUTOR_QUANTUM=1 %t

#include "check.h"

static void check_threads(int wanted) {
  int values[64] = {0}, threads = 0, wrong = 0;
#pragma omp target map(tofrom : values, threads, wrong)
  {
#pragma omp parallel num_threads(wanted)
    {
      const int number = omp_get_thread_num(), count = omp_get_num_threads();
      for (int turn = 1; turn < 4; turn++) {
        values[number] = turn * 100 + number;
#pragma omp barrier
        if (values[(number + 1) % count] != turn * 100 + (number + 1) % count)
#pragma omp atomic
          wrong += 1;
#pragma omp barrier
      }
      if (number == 0)
        threads = count;
    }
  }
  CHECK_EQ(threads, wanted);
  CHECK_EQ(wrong, 0);
}

int main(void) {
  int levels = 0, inner_threads = 0, after = 0, set = 0;
  const int counts[] = {1, 2, 3, 31, 32, 33, 40, 64};
  for (unsigned i = 0; i < sizeof(counts) / sizeof(*counts); i++)
    check_threads(counts[i]);

#pragma omp target map(tofrom : levels, inner_threads, after, set)
  {
    omp_set_num_threads(5);
#pragma omp parallel
    {
      if (omp_get_thread_num() == 3) {
        set = omp_get_num_threads();
        omp_set_num_threads(2);
        omp_set_schedule(omp_sched_dynamic, 3);
#pragma omp parallel
        {
          levels = omp_get_level() * 10 + omp_get_active_level();
          inner_threads = omp_get_num_threads();
        }
      }
    }
    after = omp_get_max_threads();
  }
  CHECK_EQ(set, 5);
  CHECK_EQ(levels, 21);
  CHECK_EQ(inner_threads, 1);
  CHECK_EQ(after, 5);
  return finish();
}

// CHECK: failed: set: is 0, wanted 5
