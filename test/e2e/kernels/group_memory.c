// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic group-private memory, of which a CPU has none: the clause's fallback says whether the kernel runs without.

// RUN: %clang -fopenmp-version=61 %s -o %t
// RUN: %run %t
// RUN: %clang -fopenmp-version=61 -DABORT %s -o %t.abort
// RUN: %expect-abort %t.abort 2>&1 | %check
// REQUIRES: clang-23-or-later, runtime-omptarget
// GPUs have some: their plugins' tests look at it.
// UNSUPPORTED: emulator-cuda, emulator-amdgpu

// CHECK: omptarget error: kernel {{.*}}_main_l{{[0-9]+}} asks for 100 bytes of dynamic group-private memory per team, which device
// CHECK-SAME: 0 does not have; dyn_groupprivate(fallback(default_mem): ...) lets it run without
// CHECK: omptarget fatal error 1: failure of target construct while offloading is mandatory

#include "check.h"

size_t omp_get_gprivate_limit(int device, omp_access_t group);

int main(void) {
  CHECK_EQ(omp_get_gprivate_limit(0, omp_access_cgroup), 1); // as LLVM's runtime says
  CHECK_EQ(omp_get_gprivate_limit(0, omp_access_pteam), 0);
  CHECK_EQ(omp_get_gprivate_limit(omp_get_initial_device(), omp_access_cgroup), 0);
  CHECK_EQ(omp_get_gprivate_limit(omp_initial_device, omp_access_cgroup), 0);
  int x = 0;
#pragma omp target teams num_teams(1) dyn_groupprivate(fallback(null) : 100) map(tofrom : x)
  {
    HERE();
    x += 1;
  }
#pragma omp target teams num_teams(1) dyn_groupprivate(fallback(default_mem) : 100) map(tofrom : x)
  {
    HERE();
    x += 10;
  }
#pragma omp target teams num_teams(1) dyn_groupprivate(100) map(tofrom : x)
  {
    HERE();
    x += 100;
  }
  CHECK_EQ(x, 111);
#ifdef ABORT
#pragma omp target teams num_teams(1) dyn_groupprivate(fallback(abort) : 100) map(tofrom : x)
  x++;
#endif
  return finish();
}
