// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races between operations of a device are named: regions without a depend clause, regions of two threads, an update
// beside a region. Regions in order and those of other data are not.
// RUN: %clang -gline-tables-only %s -o %t
// RUN: %run SIM_EXECUTOR_GLOBAL_RACES=1 SIM_EXECUTOR_BUDGET=30000000 %t 2>&1 | %FileCheck %s --check-prefix=NONE --implicit-check-not=race
// RUN: %run SIM_EXECUTOR_GLOBAL_RACES=1 SIM_EXECUTOR_BUDGET=30000000 %t chain 2>&1 | %FileCheck %s --check-prefix=CHAIN
// RUN: %run SIM_EXECUTOR_GLOBAL_RACES=1 SIM_EXECUTOR_BUDGET=30000000 %t threads 2>&1 | %FileCheck %s --check-prefix=THREADS
// RUN: %run SIM_EXECUTOR_GLOBAL_RACES=1 SIM_EXECUTOR_BUDGET=30000000 %t update 2>&1 | %FileCheck %s --check-prefix=UPDATE

#include "check.h"

#include <omp.h>
#include <string.h>

enum { SIZE = 256 };
static int values[SIZE], others[SIZE];
static int arrived, leave; // on the device; they make operations run at once

#pragma omp begin declare target
static int read_of(int *flag) {
  int value;
#pragma omp atomic read
  value = *flag;
  return value;
}
static void meet(int *flag, int all) {
#pragma omp atomic
  *flag += 1;
  while (read_of(flag) < all)
    ;
}
#pragma omp end declare target

static void run_in_order(void) {
#pragma omp target nowait depend(inout : values)
  for (int i = 0; i < SIZE; ++i)
    values[i] += 1;
#pragma omp target nowait depend(inout : values)
  for (int i = 0; i < SIZE; ++i)
    values[i] *= 2;
#pragma omp taskwait
}

static void run_unordered(void) {
#pragma omp target nowait map(arrived)
  {
    meet(&arrived, 2);
    for (int i = 0; i < SIZE; ++i)
      values[i] += 1;
  }
#pragma omp target nowait map(arrived)
  {
    meet(&arrived, 2);
    for (int i = 0; i < SIZE; ++i)
      values[i] *= 2;
  }
#pragma omp taskwait
}

static void change(int *data) {
#pragma omp target map(to : data[0 : 0]) map(arrived, leave)
  {
    meet(&arrived, 2);
    for (int i = 0; i < SIZE; ++i)
      data[i] += 3;
  }
}

static void run_threads(int *first, int *second) {
#pragma omp parallel num_threads(2)
  change(omp_get_thread_num() ? first : second);
}

static void run_update(int *data) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num()) {
#pragma omp target map(to : data[0 : 0]) map(arrived, leave)
    {
      for (int i = 0; i < SIZE; ++i)
        data[i] += 3;
      meet(&arrived, 1);
      while (!read_of(&leave))
        ;
    }
  } else {
    do {
#pragma omp target update from(arrived)
    } while (arrived == 0);
    values[3] = 1000;
#pragma omp target update to(values[3 : 1])
    leave = 1;
#pragma omp target update to(leave)
  }
}

static void forget_arrivals(void) {
  arrived = leave = 0;
#pragma omp target update to(arrived, leave)
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "none";
#pragma omp target enter data map(to : values, others, arrived, leave)
  if (strcmp(what, "chain") == 0) {
    run_unordered();
  } else if (strcmp(what, "threads") == 0) {
    run_threads(values, values);
  } else if (strcmp(what, "update") == 0) {
    run_update(values);
  } else {
    run_in_order();
    run_threads(values, others);
    forget_arrivals();
    run_update(others);
  }
#pragma omp target exit data map(from : values, others) map(release : arrived, leave)
  return finish();
}

// NONE: ok
// CHAIN: kernel [[KERNEL:[^ ]*]] and kernel {{[^ ]*}} use the memory at {{.*}}, and neither waits for the other (a race: a depend
// CHAIN-NEXT: kernel [[KERNEL]] {{reads|writes}}: at {{.*}}overlaps.c:{{51|57}}
// CHAIN-NEXT: kernel {{[^ ]*}} {{reads|writes}}: at {{.*}}overlaps.c:{{51|57}}
// THREADS: kernel [[KERNEL:[^ ]*]] and kernel [[KERNEL]] use the memory at
// THREADS-NEXT: kernel [[KERNEL]] {{reads|writes}}: at {{.*}}overlaps.c:67
// THREADS-NEXT: kernel [[KERNEL]] {{reads|writes}}: at {{.*}}overlaps.c:67
// UPDATE: {{kernel .* and a copy of 4 bytes to the device|a copy of 4 bytes to the device and kernel .*}} use the memory at
// UPDATE-NEXT: kernel {{[^ ]*}} {{reads|writes}}: at {{.*}}overlaps.c:82
