// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that does nothing wrong prints nothing but its own text. So it is where libomp asks the library whether
// work is left: at barriers, taskwait and the end of taskgroups. So it is in an exit handler after the library's own.

// RUN: %clang %s -o %t
// RUN: %run %t 2>&1 | %check --implicit-check-not=omptarget
// libomp 15 and 16 fail at times in a region with nowait after a parallel region (an assertion about helper threads).
// REQUIRES: clang-19-or-later

// CHECK: {{^}}ok
// CHECK-NEXT: {{^}}end

#include "check.h"

#define N 100

static int threads(void) {
  int count = 0;
#pragma omp parallel num_threads(4) reduction(+ : count)
  {
#pragma omp barrier
#pragma omp taskwait
#pragma omp taskgroup
    count += 2;
  }
  return count;
}

static void at_exit(void) {
#pragma omp taskwait
  printf("end\n");
}

int main(void) {
  atexit(at_exit);
  CHECK_EQ(threads(), 8);
  int a[N], x = 1;
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma omp target teams distribute parallel for map(tofrom : a)
  for (int i = 0; i < N; i++)
    a[i] += 2;
  CHECK_EQ(a[N - 1], N + 1);
#pragma omp target map(tofrom : x) nowait
  {
    HERE();
    x++;
  }
#pragma omp taskwait
  CHECK_EQ(x, 2);
  return finish();
}
