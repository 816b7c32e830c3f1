// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic group-private memory of a GPU: each team has its own, in shared memory, or in the device's where that is too
// small.
// REQUIRES: rtl-ours && clang-23-or-later
// RUN: %clang -fopenmp-version=61 %s -o %t
// RUN: %run SIM_EXECUTOR_RACES=1 %t
// RUN: %run SIM_EXECUTOR_RACES=1 SIM_EXECUTOR_SEED=7 SIM_EXECUTOR_QUANTUM=2 %t

#include "check.h"

#if !defined(__NVPTX__) && !defined(__AMDGCN__)
// Regions that the host would run, which has none.
void *omp_get_dyn_gprivate_ptr(size_t offset, omp_access_t access) { return (void)offset, (void)access, NULL; }
size_t omp_get_dyn_gprivate_size(omp_access_t access) { return (void)access, 0; }
omp_memspace_handle_t omp_get_dyn_gprivate_memspace(omp_access_t access) { return (void)access, omp_default_mem_space; }
#endif

#define TEAMS 3
#define THREADS 40

static void use(size_t bytes, int is_shared) {
  int wrong = 0, sizes[TEAMS] = {0}, spaces[TEAMS] = {-1, -1, -1};
  const int count = (int)(bytes / sizeof(int));
#pragma omp target teams num_teams(TEAMS) thread_limit(2 * THREADS) dyn_groupprivate(fallback(default_mem) : bytes)    \
    map(tofrom : wrong, sizes, spaces)
  {
    const int team = omp_get_team_num();
    int *const mine = omp_get_dyn_gprivate_ptr(0, omp_access_cgroup);
    int *const last = omp_get_dyn_gprivate_ptr(bytes - sizeof(int), omp_access_cgroup);
    sizes[team] = (int)omp_get_dyn_gprivate_size(omp_access_cgroup);
    spaces[team] = omp_get_dyn_gprivate_memspace(omp_access_cgroup) == omp_default_mem_space;
#pragma omp parallel num_threads(THREADS)
    {
      const int me = omp_get_thread_num(), threads = omp_get_num_threads();
      for (int i = me; i < count; i += threads)
        mine[i] = team * 1000000 + i;
#pragma omp barrier
      int bad = 0;
      for (int i = me; i < count; i += threads)
        bad += mine[count - 1 - i] != team * 1000000 + count - 1 - i;
      bad += *last != team * 1000000 + count - 1;
      if (bad) {
#pragma omp atomic
        wrong += bad;
      }
    }
  }
  CHECK_EQ(wrong, 0);
  for (int i = 0; i < TEAMS; i++) {
    CHECK_EQ(sizes[i], bytes);
    CHECK_EQ(spaces[i], !is_shared);
  }
}

int main(void) {
  use(400, 1);
  use(1 << 20, 0);
  return finish();
}
