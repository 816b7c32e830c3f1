// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of several teams set something for themselves, are in regions within regions, or exchange the values of fewer
// lanes than a warp has. No check names what the device RTL does for that.
// REQUIRES: rtl-ours
// RUN: %clang -gline-tables-only %s -o %t
// RUN: %run SIM_EXECUTOR_RACES=1 SIM_EXECUTOR_GLOBAL_RACES=1 SIM_EXECUTOR_QUANTUM=1 %t sets 2>&1 | %FileCheck %s
// RUN: %run SIM_EXECUTOR_RACES=1 SIM_EXECUTOR_GLOBAL_RACES=1 SIM_EXECUTOR_QUANTUM=1 %t inner 2>&1 | %FileCheck %s
// RUN: %run SIM_EXECUTOR_STRICT_LANES=1 SIM_EXECUTOR_STRICT_BARRIERS=1 SIM_EXECUTOR_UNWRITTEN=1 %t lanes 2>&1 | %FileCheck %s

#include "check.h"

#include <string.h>

#define TEAMS 4
#define THREADS 128

static void run_sets(int *results) {
  // clang-format off
#pragma omp target teams num_teams(TEAMS) thread_limit(THREADS) map(tofrom : results[:TEAMS * THREADS])
#pragma omp parallel num_threads(THREADS)
  { const int me = omp_get_thread_num();
    if (me % 5 == 1)
      omp_set_num_threads(me % 7 + 1);
    results[omp_get_team_num() * THREADS + me] = omp_get_max_threads(); }
  // clang-format on
  for (int i = 0; i < TEAMS * THREADS; ++i)
    CHECK(results[i] > 0);
}

static void run_inner(int *results) {
  // clang-format off
#pragma omp target teams num_teams(TEAMS) thread_limit(THREADS) map(tofrom : results[:TEAMS * THREADS])
#pragma omp parallel num_threads(THREADS)
  { const int me = omp_get_thread_num(), at = omp_get_team_num() * THREADS + me;
    if (me % 4 == 2) {
#pragma omp parallel
      {
#pragma omp parallel
        results[at] = omp_get_level();
      }
    } }
  // clang-format on
  for (int i = 0; i < TEAMS * THREADS; ++i)
    CHECK_EQ(results[i], i % 4 == 2 ? 3 : 0);
}

static void run_lanes(void) {
  int most = 0;
  double sum = 0;
  // clang-format off
#pragma omp target parallel num_threads(8) reduction(max : most) reduction(+ : sum) map(tofrom : most, sum)
  { int own = 0;
#pragma omp parallel for reduction(max : own)
    for (int i = 0; i < 30; ++i)
      own = own > i ? own : i;
    most = most > own ? most : own;
    sum += own; }
  // clang-format on
  CHECK_EQ(most, 29);
  CHECK(sum > 0);
}

int main(int argc, char **argv) {
  int results[TEAMS * THREADS] = {0};
  const char *const which = argc > 1 ? argv[1] : "sets";
  if (strcmp(which, "sets") == 0)
    run_sets(results);
  if (strcmp(which, "inner") == 0)
    run_inner(results);
  if (strcmp(which, "lanes") == 0)
    run_lanes();
  return finish();
}

// CHECK-NOT: stand-in:
// CHECK: ok
