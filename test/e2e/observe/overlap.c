// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two regions with nowait that wait for one another. Both are under way at the same time, also while a profile is made
// or a tool traces the device. The profile and the trace show it. The driver gets the same calls as without, but for
// those that take the time.

// REQUIRES: emulator-cuda || emulator-amdgpu, clang-19-or-later
// RUN: %clang -g %s -o %t
// RUN: rm -rf %t.json %t.calls %t.profiled && mkdir %t.calls %t.profiled
// RUN: %run LIBOMP_NUM_HIDDEN_HELPER_THREADS=1 SIM_CUDA_RECORD=%t.calls SIM_HSA_RECORD=%t.calls %t
// RUN: %run LIBOMP_NUM_HIDDEN_HELPER_THREADS=1 SIM_CUDA_RECORD=%t.profiled SIM_HSA_RECORD=%t.profiled LIBOMPTARGET_PROFILE=%t.json %t
// RUN: %python %inputs/check_overlap.py profile %t.json
// RUN: %python %inputs/check_overlap.py calls %t.calls %t.profiled --any-order
// RUN: %plainclang -shared -fPIC %inputs/ompt_tool.c -o %t.tool
// RUN: rm -rf %t.trace %t.profiled && mkdir %t.profiled
// RUN: %run LIBOMP_NUM_HIDDEN_HELPER_THREADS=1 SIM_CUDA_RECORD=%t.profiled SIM_HSA_RECORD=%t.profiled OMP_TOOL_LIBRARIES=%t.tool TOOL_MODE=trace TOOL_LOG=%t.trace %t
// RUN: %python %inputs/check_overlap.py trace %t.trace
// RUN: %python %inputs/check_overlap.py calls %t.calls %t.profiled --any-order
// RUN: rm -rf %t.calls %t.profiled && mkdir %t.calls %t.profiled
// RUN: %run SIM_CUDA_RECORD=%t.calls SIM_HSA_RECORD=%t.calls %t alone
// RUN: %run SIM_CUDA_RECORD=%t.profiled SIM_HSA_RECORD=%t.profiled LIBOMPTARGET_PROFILE=%t.json %t alone
// RUN: %python %inputs/check_profile.py %t.json
// RUN: %python %inputs/check_overlap.py calls %t.calls %t.profiled

#include <stdio.h>
#include <time.h>

#pragma omp begin declare target
// Both are under way for at least 20 milliseconds; it gives up after a minute.
static void meet(long *met) {
  const struct timespec a_while = {0, 1000000}, rest = {0, 20000000};
  __atomic_fetch_add(&met[0], 1, __ATOMIC_SEQ_CST);
  for (int i = 0; i < 60000 && __atomic_load_n(&met[0], __ATOMIC_SEQ_CST) < 2; i++)
    nanosleep(&a_while, 0);
  __atomic_fetch_add(&met[1], __atomic_load_n(&met[0], __ATOMIC_SEQ_CST) == 2, __ATOMIC_SEQ_CST);
  nanosleep(&rest, 0);
}
#pragma omp end declare target

static long met[2];

static void run_together(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target nowait map(tofrom : met)
    meet(met);
#pragma omp target nowait map(tofrom : met)
    meet(met);
#pragma omp taskwait
  }
}

static int run_alone(void) {
  double sum = 0, values[1000];
  for (int i = 0; i < 1000; i++)
    values[i] = i;
#pragma omp target data map(tofrom : values)
  for (int step = 0; step < 3; step++) {
#pragma omp target map(tofrom : sum)
    sum += values[step];
#pragma omp target update to(values[10 : 20])
  }
  return sum != 3;
}

int main(int argc, char **argv) {
  if (argc > 1)
    return run_alone();
#pragma omp target enter data map(to : met)
  run_together();
#pragma omp target exit data map(from : met)
  printf("%ld regions, %ld have met the other one\n", met[0], met[1]);
  return met[0] != 2 || met[1] != 2;
}
