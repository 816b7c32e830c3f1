// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler knows the limit of threads of a kernel that must stay generic. The block has one warp more, for the main
// thread. From clang 17 on, AMD's GPUs count that warp in the limit. Clang 16's OpenMPOpt takes the limit for the size
// of the block, so code that asks for this size looks in the wrong warp.
// REQUIRES: rtl-ours
// RUN: %clang %low -DLIMIT=128 %s -o %t.128
// RUN: %run LIBOMPTARGET_INFO=16 %t.128 2>&1 | %FileCheck %s
// RUN: %clang -O2 -DLIMIT=100 %s -o %t.100
// RUN: %run LIBOMPTARGET_INFO=16 %t.100 2>&1 | %FileCheck %s
// RUN: %clang -O3 -DLIMIT=256 %s -o %t.256
// RUN: %run LIBOMPTARGET_INFO=16 %t.256 2>&1 | %FileCheck %s
// CHECK: in Generic mode
// CHECK: {{^ok}}

#include "check.h"

enum { kTeams = 4 };

int main(void) {
  int sums[kTeams] = {0}, threads[kTeams] = {0};
#pragma omp target teams distribute num_teams(kTeams) thread_limit(LIMIT) map(tofrom : sums, threads)
  for (int team = 0; team < kTeams; team++) {
    int sum = team;
    __asm__ volatile("" ::: "memory"); // not for all threads
#pragma omp parallel
    {
      if (omp_get_thread_num() == 0)
        threads[team] = omp_get_num_threads();
#pragma omp atomic
      sum += omp_get_thread_num();
    }
    sums[team] = sum;
  }
  for (int team = 0; team < kTeams; team++) {
    CHECK(threads[team] > 1 && threads[team] <= LIMIT);
    CHECK_EQ(sums[team], team + threads[team] * (threads[team] - 1) / 2);
  }
  return finish();
}
