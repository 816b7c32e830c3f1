// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plugin of the days when the plugin ABI was first written down (test/loader/first_abi) gets back all that it gave:
// queues, memory, devices. So it does by compilers that came later, whose blocks it does not know.

// RUN: %clang %s -o %t
// RUN: %run FIRST_PLUGIN_REPORT=1 %t | %check
// REQUIRES: plugins-of-first-abi

#include "check.h"

#define N 100

static int table[N];
#pragma omp declare target(table)

int main(void) {
  int a[N], sum = 0;
  for (int i = 0; i < N; i++)
    a[i] = i;
  for (int device = 0; device < 4; device++) {
#pragma omp target data map(tofrom : a) device(device)
    {
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum) device(device)
      for (int i = 0; i < N; i++) {
        HERE();
        table[i] = device;
        sum += a[i] + table[i];
      }
#pragma omp target nowait device(device)
      a[device] = -1;
#pragma omp taskwait
    }
    void *const memory = omp_target_alloc(1000, device);
    CHECK(memory != 0);
    omp_target_free(memory, device);
  }
  CHECK_EQ(sum, 4 * N * (N - 1) / 2 + N * (1 + 2 + 3) - 3 * (0 + 1) - 2 * (1 + 1) - 1 * (2 + 1));
  for (int i = 0; i < N; i++)
    CHECK_EQ(a[i], i < 4 ? -1 : i);
  // CHECK: ok
  // CHECK: first plugin: launches some, devices 0, queues 0, allocations 0
  return finish();
}
