// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chunks so large that those of all threads pass the end of the iterations' type: each iteration runs once all the
// same.
// REQUIRES: rtl-ours
// RUN: %clang %s -o %t
// RUN: %run SIM_EXECUTOR_RACES=1 %t

#include "check.h"

#include <limits.h>

#define N 100
#define THREADS 70

#define LOOP(name, Count, clauses)                                                                                     \
  static void name(Count chunk) {                                                                                      \
    int times[N] = {0};                                                                                                \
    _Pragma(clauses) for (Count i = 0; i < N; i++) times[i]++;                                                         \
    for (int i = 0; i < N; i++)                                                                                        \
      CHECK_EQ(times[i], 1);                                                                                           \
  }
LOOP(dynamic, long, "omp target parallel for num_threads(THREADS) map(tofrom : times) schedule(dynamic, chunk)")
LOOP(guided, long, "omp target parallel for num_threads(THREADS) map(tofrom : times) schedule(guided, chunk)")
LOOP(in_order, long, "omp target parallel for num_threads(THREADS) map(tofrom : times) ordered schedule(static, chunk)")
LOOP(parts, int, "omp target parallel for num_threads(THREADS) map(tofrom : times) schedule(static, chunk)")
LOOP(long_parts, long, "omp target parallel for num_threads(THREADS) map(tofrom : times) schedule(static, chunk)")
LOOP(unsigned_parts, unsigned,
     "omp target parallel for num_threads(THREADS) map(tofrom : times) schedule(static, chunk)")
LOOP(teams, int, "omp target teams distribute num_teams(THREADS) map(tofrom : times) dist_schedule(static, chunk)")
LOOP(
    both, int,
    "omp target teams distribute parallel for num_teams(9) map(tofrom : times) dist_schedule(static, chunk) schedule(static, chunk)")

int main(void) {
  for (int power = 24; power < 31; power++) {
    parts(1 << power);
    unsigned_parts(1U << power);
    teams(1 << power);
    both(1 << power);
  }
  parts(INT_MAX);
  unsigned_parts(INT_MAX);
  teams(INT_MAX);
  both(INT_MAX);
  for (int power = 30; power < 63; power++) {
    dynamic(1L << power);
    guided(1L << power);
    in_order(1L << power);
    long_parts(1L << power);
  }
  dynamic(LONG_MAX);
  guided(LONG_MAX);
  in_order(LONG_MAX);
  long_parts(LONG_MAX);
  return finish();
}
