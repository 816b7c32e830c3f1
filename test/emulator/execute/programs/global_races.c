// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races on global memory are named, between teams and between the waves of a team. Accesses in order are not.
// RUN: %clang -gline-tables-only %s -o %t
// RUN: %run SIM_EXECUTOR_GLOBAL_RACES=1 %t none | %FileCheck %s --check-prefix=NONE
// RUN: %expect-abort SIM_EXECUTOR_GLOBAL_RACES=1 %t sum 2>&1 | %FileCheck %s --check-prefix=SUM
// RUN: %expect-abort SIM_EXECUTOR_GLOBAL_RACES=1 %t neighbour 2>&1 | %FileCheck %s --check-prefix=NEIGHBOUR
// RUN: %expect-abort SIM_EXECUTOR_GLOBAL_RACES=1 %t team 2>&1 | %FileCheck %s --check-prefix=TEAM
// RUN: %expect-abort SIM_EXECUTOR_GLOBAL_RACES=1 %t limit 2>&1 | %FileCheck %s --check-prefix=LIMIT

#include "check.h"

#include <string.h>

#define SIZE 1024
static int values[SIZE + 1], total;

static void run_none(void) {
#pragma omp target teams distribute parallel for num_teams(8) thread_limit(128) map(tofrom : values, total)            \
    reduction(+ : total)
  for (int i = 0; i < SIZE; ++i)
    total += ++values[i];
#pragma omp target teams distribute parallel for num_teams(8) thread_limit(128) map(tofrom : total)
  for (int i = 0; i < SIZE; ++i) {
#pragma omp atomic
    ++total;
  }
#pragma omp target parallel num_threads(128) map(tofrom : values)
  {
    const int me = omp_get_thread_num();
    values[me] = me;
#pragma omp barrier
    const int other = values[127 - me];
#pragma omp barrier
    values[me] = other;
  }
}

static void run_sum(void) {
#pragma omp target teams distribute parallel for num_teams(8) thread_limit(128) map(tofrom : total)
  for (int i = 0; i < SIZE; ++i)
    total += i;
}

static void run_neighbour(void) {
#pragma omp target teams distribute parallel for num_teams(8) thread_limit(128) map(tofrom : values)
  for (int i = 0; i < SIZE; ++i)
    values[i] = values[i + 1] + i + 1;
}

static void run_team(void) {
#pragma omp target parallel num_threads(128) map(tofrom : values)
  {
    const int me = omp_get_thread_num();
    for (int k = 0; k < 8; ++k) { // a wave may begin when another one is done with its first ones
      values[me] = me + k;
      values[256 + me] = values[127 - me];
    }
  }
}

static void run_limit(void) {
#pragma omp target teams distribute parallel for num_teams(8) thread_limit(128) map(tofrom : total)
  for (int i = 0; i < SIZE; ++i)
    if (total < SIZE / 2) {
#pragma omp atomic
      ++total;
    }
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "none";
  if (strcmp(what, "sum") == 0)
    run_sum();
  else if (strcmp(what, "neighbour") == 0)
    run_neighbour();
  else if (strcmp(what, "team") == 0)
    run_team();
  else if (strcmp(what, "limit") == 0)
    run_limit();
  else
    run_none();
  if (strcmp(what, "none") == 0)
    CHECK_EQ(total, 2 * SIZE);
  return finish();
}

// NONE: ok
// SUM: s 4 bytes at {{.*}}, which thread {{[0-9]+}} of block {{[0-9]+}},0,0 {{wrote|read}}, and nothing orders the two (a race:
// SUM-NEXT: {{.*}}global_races.c:{{41|43}} {{.*}}block {{[0-9]+}},0,0, thread
// SUM-NEXT: the other access: at {{.*}}global_races.c:{{41|43}}
// NEIGHBOUR: s 4 bytes at {{.*}}, which thread {{[0-9]+}} of block
// NEIGHBOUR-NEXT: {{.*}}global_races.c:49
// NEIGHBOUR-NEXT: the other access: at {{.*}}global_races.c:49
// TEAM: s 4 bytes at {{.*}}, which thread {{[0-9]+}} of block 0,0,0 {{wrote|read}}
// TEAM-NEXT: {{.*}}global_races.c:{{57|58}}
// TEAM-NEXT: the other access: at {{.*}}global_races.c:{{57|58}}
// LIMIT: reads 4 bytes at {{.*}}, which thread {{[0-9]+}} of block {{[0-9]+}},0,0 changed by an atomic operation, and nothing orders the two (a race: the load is not atomic)
// LIMIT-NEXT: {{.*}}global_races.c:66
// LIMIT-NEXT: the other access: at {{.*}}global_races.c:68
