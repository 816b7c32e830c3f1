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
// RUN: %expect-abort SIM_EXECUTOR_GLOBAL_RACES=1 %t locks 2>&1 | %FileCheck %s --check-prefix=LOCKS
// RUN: %if emulator-amdgpu %{ %expect-abort SIM_EXECUTOR_GLOBAL_RACES=1 %t waves 2>&1 | %FileCheck %s --check-prefix=WAVES %}

#include "check.h"

#include <string.h>

#define SIZE 1024
static int values[SIZE + 1], total;

#pragma omp begin declare target
static int words[SIZE];

static void lock(int *word) {
  int is_taken;
  do {
#pragma omp atomic capture
    {
      is_taken = *word;
      *word = 1;
    }
  } while (is_taken);
#pragma omp flush
}

static void unlock(int *word) {
#pragma omp flush
#pragma omp atomic write
  *word = 0;
}

static void wait_for(int *word, int value) {
  int now;
  do {
#pragma omp atomic read
    now = *word;
  } while (now < value);
#pragma omp flush
}

static void tell(int *word, int value) {
#pragma omp flush
#pragma omp atomic write
  *word = value;
}

/// Takes time, and returns 0.
static unsigned delay(unsigned rounds) {
  unsigned value = rounds;
  for (unsigned n = 0; n < rounds; ++n)
    value = value * 1664525 + (value >> 7) + 1013904223;
  return value == 1 ? 1 : 0;
}
#pragma omp end declare target

/// Each team changes the same data, under one lock, or when the team before has told that it is done. Nobody looks at
/// the data of another in between.
static void run_in_order(void) {
#pragma omp target teams distribute num_teams(8) thread_limit(32) map(tofrom : total)
  for (int i = 0; i < 64; ++i) {
    lock(&words[0]);
    ++total;
    unlock(&words[0]);
  }
  CHECK_EQ(total, 64);
#pragma omp target teams num_teams(8) thread_limit(32) map(tofrom : total, values)
  {
    const int team = omp_get_team_num();
    wait_for(&words[1], team);
    total += values[0] == (team != 0);
    values[0] = 1;
    values[team + 1] += (int)delay(100);
    tell(&words[1], team + 1);
  }
  CHECK_EQ(total, 72);
  // The last team knows of the first by way of the second.
#pragma omp target teams num_teams(3) thread_limit(32) map(tofrom : total)
  {
    const int team = omp_get_team_num();
    wait_for(&words[2 + team], team != 0);
    if (team != 1)
      ++total;
    tell(&words[3 + team], 1);
    wait_for(&words[5], 1); // all stay until the last has come
  }
  CHECK_EQ(total, 74);
  total = values[0] = 0;
}

static void run_none(void) {
  run_in_order();
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

// Two locks exclude nobody, at whatever time each is held. The teams live at the same time.
static void run_locks(void) {
#pragma omp target teams num_teams(2) thread_limit(32) map(tofrom : total, values)
  {
    const int team = omp_get_team_num();
    values[team] = (int)delay(team * 2000);
    lock(&words[team]);
    total += 1 + team;
    unlock(&words[team]);
    values[team] += (int)delay(4000);
  }
}

static void run_waves(void) {
#pragma omp target parallel num_threads(128) map(tofrom : total, values)
  {
    const int me = omp_get_thread_num();
    if (me % 64 == 0) {
      values[me] = (int)delay((unsigned)me * 20);
      lock(&words[me]);
      total += 1 + me;
      unlock(&words[me]);
    }
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
  else if (strcmp(what, "locks") == 0)
    run_locks();
  else if (strcmp(what, "waves") == 0)
    run_waves();
  else
    run_none();
  if (strcmp(what, "none") == 0)
    CHECK_EQ(total, 2 * SIZE);
  return finish();
}

// NONE: ok
// SUM: s 4 bytes at {{.*}}, which thread {{[0-9]+}} of block {{[0-9]+}},0,0 {{wrote|read}}, and nothing orders the two (a race:
// SUM-NEXT: {{.*}}global_races.c:{{123|125}} {{.*}}block {{[0-9]+}},0,0, thread
// SUM-NEXT: the other access: at {{.*}}global_races.c:{{123|125}}
// NEIGHBOUR: s 4 bytes at {{.*}}, which thread {{[0-9]+}} of block
// NEIGHBOUR-NEXT: {{.*}}global_races.c:131
// NEIGHBOUR-NEXT: the other access: at {{.*}}global_races.c:131
// TEAM: s 4 bytes at {{.*}}, which thread {{[0-9]+}} of block 0,0,0 {{wrote|read}}
// TEAM-NEXT: {{.*}}global_races.c:{{139|140}}
// TEAM-NEXT: the other access: at {{.*}}global_races.c:{{139|140}}
// LIMIT: reads 4 bytes at {{.*}}, which thread {{[0-9]+}} of block {{[0-9]+}},0,0 changed by an atomic operation, and nothing orders the two (a race: the load is not atomic)
// LIMIT-NEXT: {{.*}}global_races.c:148
// LIMIT-NEXT: the other access: at {{.*}}global_races.c:150
// LOCKS: s 4 bytes at {{.*}}, which thread {{[0-9]+}} of block {{[01]}},0,0 {{wrote|read}}, and nothing orders the two (a race:
// LOCKS-NEXT: {{.*}}global_races.c:161 {{.*}}block {{[01]}},0,0, thread
// LOCKS-NEXT: the other access: at {{.*}}global_races.c:161
// WAVES: s 4 bytes at {{.*}}, which thread {{[0-9]+}} of block 0,0,0 {{wrote|read}}, and nothing orders the two (a race:
// WAVES-NEXT: {{.*}}global_races.c:174
// WAVES-NEXT: the other access: at {{.*}}global_races.c:174
