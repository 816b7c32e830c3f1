// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks of a region end before it does, and before its data are copied back. That holds on a thread of a larger
// team and in a task of its own, too: the thread is alone in the region's team.

// RUN: %clang %s -o %t
// RUN: %run %t
// REQUIRES: runtime-omptarget

#include "check.h"

#include <omp.h>

enum { ROUNDS = 20, TASKS = 200 };

#pragma omp begin declare target
static void make_tasks(int *sum) {
  for (int i = 0; i < TASKS; i++)
#pragma omp task firstprivate(sum)
  {
#pragma omp task firstprivate(sum)
    {
#pragma omp atomic
      *sum += 1;
    }
#pragma omp atomic
    *sum += 1;
  }
}
#pragma omp end declare target

static int in_team(void) {
  int sum = 0, threads = 0, number = -1;
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp target map(tofrom : sum, threads, number)
  {
    HERE();
    threads = omp_get_num_threads();
    number = omp_get_thread_num();
    make_tasks(&sum);
  }
  CHECK_EQ(threads, 1);
  CHECK_EQ(number, 0);
  return sum;
}

static int as_task(void) {
  int sum = 0;
#pragma omp target map(tofrom : sum) nowait
  {
    HERE();
    make_tasks(&sum);
  }
#pragma omp taskwait
  return sum;
}

static int alone(void) {
  int sum = 0;
#pragma omp target map(tofrom : sum)
  {
    HERE();
    make_tasks(&sum);
  }
  return sum;
}

int main(void) {
  for (int i = 0; i < ROUNDS; i++) {
    CHECK_EQ(in_team(), 2 * TASKS);
    CHECK_EQ(as_task(), 2 * TASKS);
    CHECK_EQ(alone(), 2 * TASKS);
  }
  return finish();
}
