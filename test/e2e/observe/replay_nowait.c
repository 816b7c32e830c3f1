// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches with nowait are recorded as any other, also while others are under way. One is a task with dependences, one
// is of several threads and on several devices. The replay waits for the launch, so that it finds the results.

// RUN: %clang -g %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %run %t > %t.d/plain
// RUN: %run LIBOMPTARGET_RECORD=%t.d/chain LIBOMPTARGET_RECORD_KERNEL=chain LIBOMPTARGET_RECORD_LAUNCH=3 %t > %t.d/recorded
// RUN: cmp %t.d/plain %t.d/recorded
// RUN: %prefix/bin/omptarget-replay --info %t.d/chain | %FileCheck %s --check-prefix=INFO
// RUN: %run %prefix/bin/omptarget-replay --verify --repetitions=3 %t.d/chain | %FileCheck %s
// RUN: %run LIBOMPTARGET_RECORD=%t.d/wide LIBOMPTARGET_RECORD_KERNEL=wide LIBOMPTARGET_RECORD_LAUNCH=5 %t > %t.d/recorded
// RUN: cmp %t.d/plain %t.d/recorded
// RUN: %run %prefix/bin/omptarget-replay --verify %t.d/wide | %FileCheck %s
// RUN: %run %prefix/bin/omptarget-replay --verify --device=1 %t.d/wide | %FileCheck %s
// RUN: not %run %prefix/bin/omptarget-replay --device=99 %t.d/wide 2>&1 | %FileCheck %s --check-prefix=DEVICE
// REQUIRES: libomp-loads-here
// UNSUPPORTED: runtime-llvm, sanitizer, emulated

// INFO: kernel: __omp_offloading_{{.*}}chain_l
// INFO: launch: 3
// INFO: argument 0: pointer to block {{[0-9]}}, offset 0
// INFO: block {{[0-9]}}{{.*}} (mapped, 4000 bytes) at 0x{{[0-9a-f]+}}, {{[1-9][0-9]+}} bytes changed
// INFO: results: yes
// CHECK: time: {{.*}} ms median of
// CHECK: verified: the memory is as recorded
// DEVICE: wide: there is no device 99: {{[0-9]+}} take the recorded image

#include <omp.h>
#include <stdio.h>

enum { kCount = 1000, kTasks = 8 };
static int chained[kCount], parts[kTasks][kCount];

static void chain(int step) {
#pragma omp target nowait map(tofrom : chained) depend(inout : chained) firstprivate(step)
  for (int i = 0; i < kCount; i++)
    chained[i] = 3 * chained[i] + step + i;
}

static void wide(int task, int device) {
#pragma omp target nowait map(tofrom : parts[task][0 : kCount]) device(device) firstprivate(task)
  for (int i = 0; i < kCount; i++)
    parts[task][i] += i * (task + 1);
}

int main(void) {
  long sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    for (int step = 0; step < 5; step++)
      chain(step);
#pragma omp taskloop grainsize(1)
    for (int task = 0; task < kTasks; task++)
      wide(task, task % omp_get_num_devices());
#pragma omp taskwait
  }
  for (int i = 0; i < kCount; i++) {
    sum += chained[i];
    for (int task = 0; task < kTasks; task++)
      sum += parts[task][i];
  }
  printf("sum %ld\n", sum);
  return 0;
}
