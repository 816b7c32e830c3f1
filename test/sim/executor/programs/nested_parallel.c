// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A defect of LLVM 19's device RTL for AMD's GPUs: __kmpc_parallel_51 is said not to recurse, but a parallel region in a parallel region
// calls it again. So the compiler counts its stack once, and the inner region writes behind the stack that the launch asked for.
// REQUIRES: sim-amdgpu, clang-19, rtl-llvm
// RUN: %clang %s -o %t
// RUN: %expect-abort %t 2>&1 | %FileCheck %s

#include "check.h"

int main(void) {
  int sums[64] = {0};
#pragma omp target teams distribute parallel for num_teams(1) thread_limit(64) map(tofrom : sums)
  for (int i = 0; i < 64; i++) {
    int sum = i;
#pragma omp parallel num_threads(2) firstprivate(sum)
#pragma omp atomic
    sums[i] += sum + 1;
    sums[i] += sum;
  }
  return finish();
}

// CHECK: writes {{[0-9]+}} bytes of its stack at 0x{{.*}}; the launch asked for {{[0-9]+}} bytes
// CHECK-NEXT: at __kmpc_parallel_51
