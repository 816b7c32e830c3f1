// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic and guided schedules: each iteration once, without a race. With LLVM 19's device RTL one thread allocates the
// trackers of all and stores the pointer, while others check it without a barrier between. Some skip the barrier
// behind, or read trackers by the pointer after it was cleared.
// RUN: %llvm-clang %s -o %t.llvm
// RUN: %if clang-19-or-later %{ %expect-abort SIM_EXECUTOR_RACES=1 %t.llvm 2>&1 | %FileCheck %s --check-prefix=RACE %}
// RUN: %if clang-19-or-later %{ %expect-abort SIM_EXECUTOR_SEED=3 %t.llvm 2>&1 | %FileCheck %s --check-prefix=CLEARED %}
// RUN: %our-clang %s -o %t
// RUN: %run SIM_EXECUTOR_RACES=1 %t
// RUN: %run SIM_EXECUTOR_SEED=3 SIM_EXECUTOR_RACES=1 %t
// RUN: %run SIM_EXECUTOR_SEED=9 SIM_EXECUTOR_QUANTUM=2 %t

#include "check.h"

#define N 203

#define LOOP(schedule_of)                                                                                              \
  do {                                                                                                                 \
    int counts[N] = {0}, threads = 0;                                                                                  \
    _Pragma("omp target parallel num_threads(THREADS) map(tofrom : counts, threads)")                                  \
    {                                                                                                                  \
      if (omp_get_thread_num() == 0)                                                                                   \
        threads = omp_get_num_threads();                                                                               \
      for (int turn = 0; turn < 2; turn++)                                                                             \
        _Pragma(schedule_of) for (int i = 0; i < N; i++) counts[i]++;                                                  \
    }                                                                                                                  \
    int right = 0;                                                                                                     \
    for (int i = 0; i < N; i++)                                                                                        \
      right += counts[i] == 2;                                                                                         \
    CHECK_EQ(right, N);                                                                                                \
    CHECK_EQ(threads, THREADS);                                                                                        \
  } while (0)

int main(void) {
#define THREADS 96
  LOOP("omp for schedule(dynamic)");
  LOOP("omp for schedule(dynamic, 7) nowait");
  LOOP("omp for schedule(guided, 3)");
#undef THREADS
#define THREADS 64
  LOOP("omp for schedule(runtime)");
  LOOP("omp for schedule(static, 5)");
  int last = -1, order = 0;
#pragma omp target parallel for ordered map(tofrom : last, order)
  for (int i = 0; i < 40; i++) {
#pragma omp ordered
    {
      order += i == last + 1;
      last = i;
    }
  }
  CHECK_EQ(order, 40);
  return finish();
}

// RACE: of shared memory at 0{{.*}}, which thread {{[0-9]+}} of the block {{wrote|read}} since the last barrier
// Behind a null pointer:
// CLEARED: reads 8 bytes at 0x{{[1-9a-f]?[0-9a-f]00}}, which are in no allocation that this device reaches
