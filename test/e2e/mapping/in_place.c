// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices that reach all memory of the process: mapped data is used in place on those that share it with the CPU, or if it
// is asked for; the close modifier and variables of the device have memory of their own.

// REQUIRES: sim-amdgpu
// RUN: %clang -fopenmp-version=51 %s -o %t
// RUN: %run %t copied
// RUN: %run SIM_HSA_APU=1 OMPX_APU_MAPS=true %t copied
// RUN: %run SIM_HSA_XNACK=1 %t copied
// RUN: %run SIM_HSA_XNACK=1 OMPX_APU_MAPS=true %t in-place
// RUN: %run SIM_HSA_XNACK=1 SIM_HSA_APU=1 %t in-place

#include "check.h"

#include <stdint.h>
#include <string.h>

int global = 1;
#pragma omp declare target(global)

int main(int argc, char **argv) {
  const int in_place = argc > 1 && strcmp(argv[1], "in-place") == 0;
  int a[100], sum = 0;
  for (int i = 0; i < 100; i++)
    a[i] = i;
  uintptr_t there = 0, closely = 0, of_global = 0;
#pragma omp target map(tofrom : a, there)
  {
    HERE();
    there = (uintptr_t)a;
    for (int i = 0; i < 100; i++)
      a[i]++;
  }
  CHECK_EQ(there == (uintptr_t)a, in_place);
#pragma omp target map(close, tofrom : a) map(from : closely)
  {
    HERE();
    closely = (uintptr_t)a;
    a[0] += 10;
  }
  CHECK(closely != (uintptr_t)a);
  CHECK_EQ(a[0], 11);
#pragma omp target map(from : of_global)
  {
    HERE();
    of_global = (uintptr_t)&global;
  }
  CHECK(of_global != (uintptr_t)&global);

  // What the host changes meanwhile is seen at once, or when it is told.
#pragma omp target data map(to : a)
  {
    a[1] = 1000;
#pragma omp target map(from : sum)
    {
      HERE();
      sum = a[1];
    }
    CHECK_EQ(sum, in_place ? 1000 : 2);
#pragma omp target update to(a)
#pragma omp target map(from : sum)
    {
      HERE();
      sum = a[1];
    }
    CHECK_EQ(sum, 1000);
  }
  int *device = omp_target_alloc(sizeof(a), 0);
  CHECK_EQ(omp_target_memcpy(device, a, sizeof(a), 0, 0, 0, omp_get_initial_device()), 0);
#pragma omp target is_device_ptr(device) map(from : sum)
  {
    HERE();
    sum = device[1] + device[99];
  }
  CHECK_EQ(sum, 1100);
  omp_target_free(device, 0);
  return finish();
}
