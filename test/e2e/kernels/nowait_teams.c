// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions with nowait may have teams and parallel regions of their own: libomp's helper threads, which run the tasks,
// stay out of them. Such a region begins as an initial thread, alone at level 0, with the variables of its task.

// RUN: %clang %s -o %t
// RUN: %run %t
// Code for the CPU that runs on a stand-in for a driver has the variables of a new thread.
// RUN: %if !(emulator-cuda || emulator-amdgpu) %{ %run %t variables %}
// RUN: %if !(emulator-cuda || emulator-amdgpu) %{ %run LIBOMP_NUM_HIDDEN_HELPER_THREADS=3 %t variables %}
// RUN: %run LIBOMP_NUM_HIDDEN_HELPER_THREADS=3 %t
// RUN: %run LIBOMP_USE_HIDDEN_HELPER_TASK=0 %t tasks
// REQUIRES: runtime-omptarget
// The host writes to memory of the device, and regions wait for each other, which kernels of a GPU need not do.
// UNSUPPORTED: executor, plugins-of-{{.*}}

#include "check.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS = 64, N = 1000 };

/// While a region's team is at work, the thread that encountered it gives libomp more such tasks.
static void give_tasks_to_busy_helpers(void) {
  const int device = omp_get_default_device();
  // Memory of the CPU device, which the host reads and writes, too.
  int *const go = omp_target_alloc(sizeof *go, device);
  *go = 0;
  int sums[REGIONS], threads[REGIONS];
  for (int k = 0; k < REGIONS; k++) {
    int *const sum = &sums[k], *const count = &threads[k];
#pragma omp target map(from : sum[0 : 1], count[0 : 1]) is_device_ptr(go) nowait
    {
      HERE();
      int total = 0, seen = 0;
#pragma omp parallel num_threads(2) reduction(+ : total, seen)
      {
        seen++;
        for (int value = 0; k < 2 && !value;)
#pragma omp atomic read
          value = *go;
#pragma omp for
        for (int i = 0; i < N; i++)
          total += i + k;
      }
      *sum = total;
      *count = seen;
    }
  }
#pragma omp atomic write
  *go = 1;
#pragma omp taskwait
  for (int k = 0; k < REGIONS; k++) {
    CHECK_EQ(threads[k], 2);
    CHECK_EQ(sums[k], N * (N - 1) / 2 + N * k);
  }
  omp_target_free(go, device);
}

static void teams(void) {
  static int all[REGIONS][N];
  for (int round = 0; round < 3; round++) {
    for (int k = 0; k < REGIONS; k++) {
      int *const row = all[k];
#pragma omp target teams distribute parallel for map(tofrom : row[0 : N]) nowait
      for (int i = 0; i < N; i++)
        row[i] += i + k;
    }
#pragma omp taskwait
  }
  for (int k = 0; k < REGIONS; k++)
    for (int i = 0; i < N; i++)
      CHECK_EQ(all[k][i], 3 * (i + k));
}

/// Two regions that wait for each other.
static void overlap(void) {
  const int device = omp_get_default_device();
  int *const here = omp_target_alloc(2 * sizeof(int), device);
  here[0] = here[1] = 0;
  for (int k = 0; k < 2; k++)
#pragma omp target is_device_ptr(here) nowait
#pragma omp parallel num_threads(2)
  {
    HERE();
#pragma omp atomic write
    here[k] = 1;
    for (int value = 0; !value;)
#pragma omp atomic read
      value = here[1 - k];
  }
#pragma omp taskwait
  omp_target_free(here, device);
}

static void variables(void) {
  enum { VALUES = 9 };
  int own[VALUES];
  omp_set_num_threads(5);
  omp_set_dynamic(0);
  omp_set_max_active_levels(3);
  omp_set_schedule(omp_sched_dynamic, 7);
#pragma omp target map(from : own) nowait
  {
    HERE();
    omp_sched_t kind;
    own[0] = omp_get_max_threads();
    own[1] = omp_get_dynamic();
    own[2] = omp_get_max_active_levels();
    omp_get_schedule(&kind, &own[3]);
    own[4] = kind == omp_sched_dynamic;
    own[5] = omp_get_num_threads();
    own[6] = omp_get_thread_num();
    own[7] = omp_get_level();
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads++;
    own[8] = threads;
    omp_set_num_threads(2); // of the region's task only
  }
#pragma omp taskwait
  const int expected[VALUES] = {5, 0, 3, 7, 1, 1, 0, 0, 5};
  for (int i = 0; i < VALUES; i++)
    CHECK_EQ(own[i], expected[i]);
  CHECK_EQ(omp_get_max_threads(), 5);
}

static void tasks(void) {
  int sum = 0;
#pragma omp target map(tofrom : sum) nowait
  {
    HERE();
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < N; i++)
#pragma omp task shared(sum)
#pragma omp atomic
      sum += i;
#pragma omp task shared(sum)
#pragma omp atomic
    sum += 1;
#pragma omp taskwait
#pragma omp task shared(sum)
#pragma omp atomic
    sum += 1;
  }
#pragma omp taskwait
  CHECK_EQ(sum, N * (N - 1) / 2 + 2);
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "variables"))
    variables();
  else
    tasks();
  if (argc > 1)
    return finish();
  for (int round = 0; round < 5; round++)
    give_tasks_to_busy_helpers();
  teams();
  overlap();
  return finish();
}
