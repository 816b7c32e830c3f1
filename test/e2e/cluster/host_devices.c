// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_HOST_DEVICES: how many devices the CPU is, each with globals of its own.

// RUN: %clang %s -o %t
// RUN: %run %t 4
// RUN: %run LIBOMPTARGET_HOST_DEVICES=1 %t 1
// RUN: %run LIBOMPTARGET_HOST_DEVICES=9 %t 9
// RUN: %run LIBOMPTARGET_HOST_DEVICES=256 %t 256
// RUN: %run LIBOMPTARGET_HOST_DEVICES=0 %t 4 2>&1 | %check --check-prefix=NUMBER
// RUN: %run LIBOMPTARGET_HOST_DEVICES=257 %t 4 2>&1 | %check --check-prefix=NUMBER
// RUN: %run LIBOMPTARGET_HOST_DEVICES=all %t 4 2>&1 | %check --check-prefix=NUMBER
// NUMBER: omptarget warning: LIBOMPTARGET_HOST_DEVICES: '{{0|257|all}}' is neither a number from 1 to 256 nor numa; the default 4 is used
// UNSUPPORTED: runtime-llvm, emulator-cuda, emulator-amdgpu

#include "check.h"

static int own = 7;
#pragma omp declare target(own)

int main(int count, char **arguments) {
  (void)count;
  const int devices = omp_get_num_devices();
  CHECK_EQ(devices, atoi(arguments[1]));
  for (int device = 0; device < devices; device++) {
#pragma omp target device(device)
    {
      HERE();
      own += device;
    }
  }
  for (int device = 0; device < devices; device++) {
    int seen = 0;
#pragma omp target device(device) map(from : seen)
    {
      HERE();
      seen = own;
    }
    CHECK_EQ(seen, 7 + device);
  }
  return finish();
}
