// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -1 is the host for routines, which clang 23 calls omp_initial_device and older runtimes refuse; for constructs it is
// the default device.

// RUN: %clang %s -o %t
// RUN: %run %t
// REQUIRES: runtime-omptarget

#include "check.h"

#ifndef omp_initial_device
#define omp_initial_device -1
#endif

int main(void) {
  int *memory = omp_target_alloc(sizeof(int), omp_initial_device), value = 7, initial = -1, device = omp_initial_device;
  CHECK(memory != NULL);
  *memory = 1; // the host's
  CHECK_EQ(omp_target_memcpy(memory, &value, sizeof value, 0, 0, omp_initial_device, omp_initial_device), 0);
  CHECK_EQ(*memory, 7);
  CHECK(omp_target_is_present(&value, omp_initial_device));
  omp_target_free(memory, omp_initial_device);
#pragma omp target device(device) map(from : initial)
  {
    HERE();
    initial = omp_is_initial_device();
  }
  CHECK_EQ(initial, 0);
  return finish();
}
