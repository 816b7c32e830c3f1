// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ordered region in a loop of several threads. The iterations come to it one after the other, in their order,
// whatever the schedule is; and all of the team meet behind the loop.
// REQUIRES: rtl-ours
// RUN: %clang %s -o %t
// RUN: %run SIM_EXECUTOR_RACES=1 %t
// RUN: %run SIM_EXECUTOR_RACES=1 SIM_EXECUTOR_SEED=3 SIM_EXECUTOR_QUANTUM=1 %t

#include "check.h"

#define N 40
#define THREADS 70

// LOOP has a clause for the schedule, and may be within a region or be one.
#define ORDERED(name, LOOP)                                                                                            \
  static void name(void) {                                                                                             \
    int order[N], next = 0;                                                                                            \
    for (int i = 0; i < N; i++)                                                                                        \
      order[i] = -1;                                                                                                   \
    LOOP for (int i = 0; i < N; i++) {                                                                                 \
      const int value = 3 * i;                                                                                         \
      _Pragma("omp ordered") order[next++] = value;                                                                    \
    }                                                                                                                  \
    CHECK_EQ(next, N);                                                                                                 \
    for (int i = 0; i < N; i++)                                                                                        \
      CHECK_EQ(order[i], 3 * i);                                                                                       \
  }
ORDERED(plain, _Pragma("omp target parallel for num_threads(THREADS) map(tofrom : order, next) ordered"))
ORDERED(chunks,
        _Pragma("omp target parallel for num_threads(THREADS) map(tofrom : order, next) ordered schedule(static, 3)"))
ORDERED(dynamic,
        _Pragma("omp target parallel for num_threads(THREADS) map(tofrom : order, next) ordered schedule(dynamic, 2)"))
ORDERED(guided,
        _Pragma("omp target parallel for num_threads(THREADS) map(tofrom : order, next) ordered schedule(guided)"))

// In a generic kernel, with what all do behind the loop.
static void met(void) {
  int order[N], seen[THREADS], next = 0, threads = 0;
#pragma omp target map(tofrom : order, next, threads) map(from : seen)
  {
    next = 0;
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for ordered
      for (int i = 0; i < N; i++) {
#pragma omp ordered
        order[next++] = i;
      }
      seen[omp_get_thread_num()] = next;
      if (omp_get_thread_num() == 0)
        threads = omp_get_num_threads();
    }
  }
  CHECK(threads > 1);
  for (int i = 0; i < threads; i++)
    CHECK_EQ(seen[i], N);
  for (int i = 0; i < N; i++)
    CHECK_EQ(order[i], i);
}

int main(void) {
  plain();
  chunks();
  dynamic();
  guided();
  met();
  return finish();
}
