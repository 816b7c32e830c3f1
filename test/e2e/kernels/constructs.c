// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every combined construct computes what the loop says.

// RUN: %clang %s -o %t
// RUN: %run %t
// With few processors the sanitizer reports a race between two loops of libomp 19's teams, under LLVM's runtime as
// well.
// UNSUPPORTED: tsan

#include "check.h"

#define N 1000
static int a[N], b[N];

static void reset(void) {
  for (int i = 0; i < N; i++) {
    a[i] = 0;
    b[i] = i;
  }
}

static void check(int line) {
  int wrong = 0;
  for (int i = 0; i < N; i++)
    wrong += a[i] != 2 * i + 1;
  CHECK_EQ(wrong ? line : 0, 0);
  reset();
}

#define LOOP                                                                                                          \
  for (int i = 0; i < N; i++) {                                                                                       \
    if (i == 0)                                                                                                       \
      HERE();                                                                                                         \
    a[i] = 2 * b[i] + 1;                                                                                              \
  }                                                                                                                   \
  check(__LINE__);
#define MAPS map(to : b) map(from : a)

int main(void) {
  reset();
#pragma omp target MAPS
  LOOP
#pragma omp target simd MAPS
  for (int i = 0; i < N; i++)
    a[i] = 2 * b[i] + 1;
  check(__LINE__);
#pragma omp target parallel for MAPS
  LOOP
#pragma omp target parallel for simd MAPS num_threads(3)
  for (int i = 0; i < N; i++)
    a[i] = 2 * b[i] + 1;
  check(__LINE__);
#pragma omp target parallel for schedule(dynamic, 7) MAPS num_threads(4)
  LOOP
#pragma omp target parallel for schedule(guided) MAPS num_threads(4)
  LOOP
#pragma omp target teams distribute MAPS
  LOOP
#pragma omp target teams distribute simd MAPS num_teams(2)
  for (int i = 0; i < N; i++)
    a[i] = 2 * b[i] + 1;
  check(__LINE__);
#pragma omp target teams distribute parallel for MAPS
  LOOP
#pragma omp target teams distribute parallel for simd num_teams(3) thread_limit(2) MAPS
  for (int i = 0; i < N; i++)
    a[i] = 2 * b[i] + 1;
  check(__LINE__);
#pragma omp target teams distribute parallel for dist_schedule(static, 10) schedule(static, 3) num_teams(4) MAPS
  LOOP
#if __clang_major__ == 14 || __clang_major__ >= 19 // clang 15 and 16 drop the loop
#pragma omp target teams loop MAPS
  for (int i = 0; i < N; i++)
    a[i] = 2 * b[i] + 1;
  check(__LINE__);
#endif
#pragma omp target teams MAPS num_teams(2)
#pragma omp distribute parallel for
  LOOP

#pragma omp target parallel MAPS num_threads(2)
  {
    HERE();
#pragma omp for
    for (int i = 0; i < N; i++)
      a[i] = b[i];
#pragma omp for
    for (int i = 0; i < N; i++)
      a[i] = 2 * a[i] + 1;
  }
  check(__LINE__);

  int teams = 0, threads = 0;
#pragma omp target teams num_teams(3) thread_limit(2) map(from : teams)
  {
    if (omp_get_team_num() == 0)
      teams = omp_get_num_teams();
  }
  CHECK(teams >= 1 && teams <= 3);
#pragma omp target parallel num_threads(2) map(from : threads)
  {
    if (omp_get_thread_num() == 0)
      threads = omp_get_num_threads();
  }
  CHECK(threads >= 1 && threads <= 2);
  return finish();
}
