// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic updates, captures and exchanges by all threads of all teams.

#include "check.h"

enum { N = 100000 };
static unsigned char taken[N];

int main(void) {
  int next = 0;
  double sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : next, sum, taken)
  for (int i = 0; i < N; i++) {
    HERE();
    int mine;
#pragma omp atomic capture
    mine = next++;
    taken[mine]++;
#pragma omp atomic
    sum += 0.5;
  }
  CHECK_EQ(next, N);
  CHECK_EQ(sum, N / 2);
  for (int i = 0; i < N; i++)
    CHECK_EQ(taken[i], 1);
  return finish();
}
