// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chains of nowait constructs, ordered by dependences.

#include "check.h"

#define N 4096
static int a[N], b[N];

int main(void) {
  for (int round = 0; round < 50; round++) {
#pragma omp target teams distribute parallel for nowait depend(out : a) map(tofrom : a)
    for (int i = 0; i < N; i++)
      a[i] += 1;
#pragma omp target teams distribute parallel for nowait depend(in : a) depend(out : b) map(to : a) map(from : b)
    for (int i = 0; i < N; i++)
      b[i] = 2 * a[i];
  }
#pragma omp taskwait
  for (int i = 0; i < N; i++) {
    CHECK_EQ(a[i], 50);
    CHECK_EQ(b[i], 100);
  }
  return finish();
}
