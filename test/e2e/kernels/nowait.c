// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nowait, depend and taskwait: regions and data constructs as tasks.

// RUN: %clang %s -o %t
// RUN: %run %t
// Regions with several threads are in nowait_teams.c.

#include "check.h"

#define N 100

static void independent(void) {
  int a[8][N];
  for (int k = 0; k < 8; k++)
    for (int i = 0; i < N; i++)
      a[k][i] = i;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int k = 0; k < 8; k++) {
    int *row = a[k];
#pragma omp target map(tofrom : row[0 : N]) nowait
    {
      HERE();
      for (int i = 0; i < N; i++)
        row[i] += k;
    }
  }
  for (int k = 0; k < 8; k++)
    for (int i = 0; i < N; i++)
      CHECK_EQ(a[k][i], i + k);
}

static void chain(void) {
  int x = 1, y = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  {
#pragma omp target enter data map(to : x) map(alloc : y) nowait depend(out : x)
#pragma omp target map(tofrom : x) nowait depend(inout : x)
    {
      HERE();
      x = x * 10 + 2;
    }
#pragma omp target teams map(tofrom : x, y) nowait depend(inout : x) num_teams(1)
    {
      HERE();
      x = x * 10 + 3;
      y = x + 1;
    }
#pragma omp target update from(y) nowait depend(in : x) depend(out : y)
#pragma omp task depend(inout : y) shared(y)
    y *= 2;
#pragma omp target exit data map(from : x) map(release : y) nowait depend(inout : x) depend(in : y)
#pragma omp taskwait
  }
  CHECK_EQ(x, 123);
  CHECK_EQ(y, 248);
}

static void outside_parallel(void) {
  int x = 5;
#pragma omp target map(tofrom : x) nowait
  {
    HERE();
    x++;
  }
#pragma omp taskwait
  CHECK_EQ(x, 6);
#pragma omp target map(tofrom : x) depend(inout : x)
  {
    HERE();
    x++;
  }
  CHECK_EQ(x, 7);
#pragma omp target map(tofrom : x) nowait
  for (int i = 0; i < 10; i++)
    x += i;
#pragma omp taskwait
  CHECK_EQ(x, 52);
}

int main(void) {
  for (int round = 0; round < 20; round++) {
    independent();
    chain();
    outside_parallel();
  }
  return finish();
}
