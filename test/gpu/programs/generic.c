// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generic kernels: serial code of a team's main thread between parallel regions that share its variables.

#include "check.h"

enum { TEAMS = 37, N = 200 };

int main(void) {
  int sums[TEAMS] = {0}, sizes[TEAMS] = {0};
#pragma omp target teams distribute num_teams(TEAMS) thread_limit(96) map(tofrom : sums, sizes)
  for (int team = 0; team < TEAMS; team++) {
    HERE();
    int local[N], sum = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++)
      local[i] = i * (team + 1);
    for (int i = 0; i < N; i += 2)
      local[i] = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < N; i++)
      sum += local[i];
    sums[team] = sum;
#pragma omp parallel
#pragma omp single
    sizes[team] = omp_get_num_threads();
  }
  for (int team = 0; team < TEAMS; team++) {
    CHECK_EQ(sums[team], (team + 1) * 100 * 100);
    CHECK(sizes[team] >= 1 && sizes[team] <= 96);
  }
  return finish();
}
