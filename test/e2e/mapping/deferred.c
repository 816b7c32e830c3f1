// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructs with nowait on a device that queues work, and starts nothing before a thread waits for it. libomp's tasks
// are left with the work under way (with libomp 16 and later), in the order of their dependences. A thread that finds
// it unfinished some times waits for it. Asking on and on would never end here, and each question is a call of the
// driver that is counted.

// REQUIRES: emulator-cuda
// RUN: %clang %s -o %t -ldl
// RUN: %run SIM_CUDA_HOLD=2 LIBOMPTARGET_DEBUG=1 %t 5 2>&1 | \
// RUN:   %if clang-16-or-later %{ %FileCheck %s --check-prefix=DEFERS %} %else %{ %FileCheck %s --check-prefix=WAITS %}
// RUN: %run SIM_CUDA_HOLD=2 OMPTARGET_QUERY_COUNT_THRESHOLD=0 %t 0
// RUN: %run SIM_CUDA_HOLD=2 OMPTARGET_QUERY_COUNT_THRESHOLD=1 OMPTARGET_QUERY_COUNT_BACKOFF_FACTOR=0 %t 1
// RUN: %run %t 1000000
// DEFERS: [kernel] deferred target is done
// DEFERS: [kernel] deferred target update is done
// DEFERS: ok
// WAITS-NOT: [kernel] deferred
// WAITS: ok

#include "check.h"

#include <dlfcn.h>
#include <stdint.h>

#define REGIONS 40
#define N 64
// The tasks of nowait constructs run on these threads and on libomp's eight helpers.
#define THREADS 4

static int rows[REGIONS][N];

static void independent(void) {
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  for (int k = 0; k < REGIONS; k++) {
    int *row = rows[k];
#pragma omp target map(tofrom : row[0 : N]) device(k % 4) nowait
    {
      HERE();
      for (int i = 0; i < N; i++)
        row[i] += k;
    }
  }
  for (int k = 0; k < REGIONS; k++)
    for (int i = 0; i < N; i++)
      CHECK_EQ(rows[k][i], k);
}

static void chains(void) {
  static int a[8][N], sums[8];
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  for (int k = 0; k < 8; k++) {
#pragma omp target enter data map(to : a[k], sums[k]) device(k % 4) nowait depend(inout : sums[k])
    for (int round = 0; round < 3; round++) {
#pragma omp target map(tofrom : a[k]) device(k % 4) nowait depend(inout : sums[k])
      {
        HERE();
        for (int i = 0; i < N; i++)
          a[k][i] += k;
      }
#pragma omp target map(tofrom : a[k], sums[k]) device(k % 4) nowait depend(inout : sums[k])
      {
        HERE();
        for (int i = 0; i < N; i++)
          sums[k] += a[k][i];
      }
#pragma omp target update from(sums[k]) device(k % 4) nowait depend(inout : sums[k])
#pragma omp task depend(inout : sums[k])
      CHECK_EQ(sums[k], N * k * (round + 1) * (round + 2) / 2);
    }
#pragma omp target exit data map(from : a[k]) map(release : sums[k]) device(k % 4) nowait depend(inout : sums[k])
  }
  for (int k = 0; k < 8; k++) {
    CHECK_EQ(a[k][N - 1], 3 * k);
    CHECK(!omp_target_is_present(a[k], k % 4) && !omp_target_is_present(&sums[k], k % 4));
  }
}

int main(int argc, char **argv) {
#pragma omp target
  HERE();
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  uint64_t (*count)(const char *) = (uint64_t(*)(const char *))dlsym(driver, "sim_cuda_count");
  uint64_t before = count("cuStreamQuery");
  independent();
  chains();
  // Each thread asks so often in vain before it waits, and for each finished construct about half as often again.
  uint64_t asked = count("cuStreamQuery") - before, threshold = strtoull(argv[1], NULL, 10);
  uint64_t constructs = REGIONS + 8 * (2 + 3 * 3), threads = THREADS + 8;
  CHECK(asked <= threshold * threads + (threshold + 1) * constructs);
  CHECK(threshold != 0 || asked == 0);
  CHECK(threshold == 0 || __clang_major__ < 16 ? 1 : asked > 0);
  return finish();
}
