// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of an untied task calls the RTL for each of its parts, with the task itself. Only the first of these calls
// begins the task and releases it.
// REQUIRES: rtl-ours
// RUN: %clang -fopenmp-version=51 %s -o %t
// RUN: %run LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD=0 SIM_EXECUTOR_UNWRITTEN=1 SIM_EXECUTOR_RACES=1 %t 2>&1 | %FileCheck %s
// CHECK-NOT: stand-in:
// CHECK: ok

#include "check.h"

int main(void) {
  int values[60], sums[4] = {0}, order = 0;
  // clang-format off
#pragma omp target map(from : values) map(tofrom : sums, order)
  {
#pragma omp parallel num_threads(64)
    {
#pragma omp single
      for (int task = 0; task < 4; ++task) {
#pragma omp task untied shared(values, sums)
        {
          for (int i = task * 15; i < task * 15 + 15; ++i)
            values[i] = i + omp_in_explicit_task();
#pragma omp task shared(values, sums)
          for (int i = task * 15; i < task * 15 + 15; ++i)
            sums[task] += values[i];
#pragma omp taskwait
          sums[task] *= 2;
        }
      }
    }
#pragma omp task untied if(0) shared(order)
    order = omp_in_explicit_task();
    order = 10 * order + omp_in_explicit_task();
  }
  // clang-format on
  for (int i = 0; i < 60; ++i)
    CHECK_EQ(values[i], i + 1);
  for (int task = 0; task < 4; ++task)
    CHECK_EQ(sums[task], 2 * (15 * (15 * task + 7) + 15));
  CHECK_EQ(order, 10);
  return finish();
}
