// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads map the same data and their own. A tool learns of each allocation and of its end, in this order.

// REQUIRES: clang-19-or-later, runtime-omptarget
// RUN: %clang %s -o %t
// RUN: %plainclang -shared -fPIC %inputs/balance_tool.c -o %t.tool
// RUN: %run OMP_TOOL_LIBRARIES=%t.tool %t 2>&1 | %check
// CHECK: some allocations: 0 twice, 0 deletes of nothing, 0 left

enum { kThreads = 8, kRounds = 1000 };

static int same[10], copied[2000];

int main(void) {
#pragma omp parallel num_threads(kThreads)
  for (int i = 0; i < kRounds; i++) {
    int own[4] = {0};
#pragma omp target data map(alloc : same)
    {
    }
#pragma omp target data map(to : copied)
    {
    }
#pragma omp target data map(to : own)
    {
    }
  }
  return 0;
}
