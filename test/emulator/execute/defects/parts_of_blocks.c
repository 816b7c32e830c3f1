// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of threads that are no whole warps, barriers of a part of the block, variables that a thread sets for itself,
// deep regions. With LLVM 19's device RTL threads that a warp has no room for make no team of their own.
// REQUIRES: clang-19-or-later
// RUN: %llvm-clang %s -o %t.llvm
// RUN: not %run %t.llvm shallow | %FileCheck %s
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

#define DEPTH 5
#pragma omp declare target
static void go_down(int *levels, int *loops, int from, int thread) {
#pragma omp parallel num_threads(2)
  {
    levels[thread] += omp_get_level() == from + 1 ? omp_get_level() : 1000;
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < 5; i++)
      loops[thread * 5 + i]++;
    if (from + 1 < DEPTH)
      go_down(levels, loops, from + 1, thread);
    levels[thread] += omp_get_level() == from + 1 ? 0 : 1000;
  }
}
#pragma omp end declare target

// Regions in regions in regions, with loops that each thread has for itself.
static void check_depth(void) {
  int levels[96] = {0}, loops[96 * 5] = {0};
#pragma omp target parallel num_threads(96) map(tofrom : levels, loops)
  go_down(levels, loops, 1, omp_get_thread_num());
  for (int i = 0; i < 96; i++) {
    CHECK_EQ(levels[i], 2 + 3 + 4 + 5);
    for (int k = 0; k < 5; k++)
      CHECK_EQ(loops[i * 5 + k], 4);
  }
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc == 1)
    check_depth();
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
