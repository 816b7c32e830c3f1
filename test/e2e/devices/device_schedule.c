// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_SCHEDULE, OMP_DYNAMIC and OMP_MAX_ACTIVE_LEVELS of a device hold in its regions and nowhere else.

// RUN: %clang %s -o %t
// RUN: %run OMP_SCHEDULE=static,5 OMP_SCHEDULE_DEV=dynamic,7 %t 2 7
// RUN: %run OMP_SCHEDULE_ALL=static OMP_SCHEDULE_DEV_0=monotonic:Guided,3 %t 3 3
// RUN: %if !executor %{ %run OMP_DYNAMIC_DEV=true OMP_MAX_ACTIVE_LEVELS_DEV=3 OMP_SCHEDULE_DEV=dynamic,1 %t 2 1 3 %}
// RUN: %run OMP_SCHEDULE_DEV=often OMP_SCHEDULE=static %t 1 0 2>&1 | %check
// CHECK: omptarget warning: OMP_SCHEDULE_DEV: 'often' is no schedule such as dynamic,4; ignored
// REQUIRES: runtime-omptarget, !executor || rtl-ours
// Plugins for GPUs hand these to the device RTL. Code for the CPU, on a stand-in for a driver, asks libomp.
// Other plugins do not know the variables.
// UNSUPPORTED: (emulator-cuda || emulator-amdgpu) && !executor, plugins-of-{{.*}}

#include "check.h"

#include <omp.h>

struct variables {
  int kind, chunk, dynamic, levels;
};

static struct variables of_host(void) {
  struct variables own;
  omp_sched_t kind;
  omp_get_schedule(&kind, &own.chunk);
  own.kind = (int)kind & 0x7FFFFFFF;
  own.dynamic = omp_get_dynamic();
  own.levels = omp_get_max_active_levels();
  return own;
}

int main(int argc, char **argv) {
  const struct variables before = of_host();
  int kind = 0, chunk = -1, dynamic = -1, levels = -1, sum = 0;
#pragma omp target map(from : kind, chunk, dynamic, levels)
  {
    HERE();
    omp_sched_t own;
    omp_get_schedule(&own, &chunk);
    kind = (int)own & 0x7FFFFFFF;
    dynamic = omp_get_dynamic();
    levels = omp_get_max_active_levels();
  }
  CHECK_EQ(kind, atoi(argv[1]));
  CHECK_EQ(chunk, atoi(argv[2]));
  if (argc > 3) {
    CHECK_EQ(levels, atoi(argv[3]));
    CHECK_EQ(dynamic, 1);
  }
#pragma omp target parallel for schedule(runtime) reduction(+ : sum) map(tofrom : sum)
  for (int i = 0; i < 1000; i++)
    sum += i;
  CHECK_EQ(sum, 499500);
  const struct variables after = of_host();
  CHECK_EQ(after.kind, before.kind);
  CHECK_EQ(after.chunk, before.chunk);
  CHECK_EQ(after.dynamic, before.dynamic);
  CHECK_EQ(after.levels, before.levels);
  return finish();
}
