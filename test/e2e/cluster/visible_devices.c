// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables by which drivers hide devices: what is hidden is not there, and why nothing is there is said.

// REQUIRES: emulator-cuda || emulator-amdgpu
// RUN: %clang %s -o %t
// RUN: %run %t 4
// RUN: %run CUDA_VISIBLE_DEVICES=1,0 ROCR_VISIBLE_DEVICES=1,0 %t 2
// RUN: %run CUDA_VISIBLE_DEVICES=3 ROCR_VISIBLE_DEVICES=3 LIBOMPTARGET_DEBUG=plugin %t 1 2>&1 | %check --check-prefix=ONE
// RUN: %run CUDA_VISIBLE_DEVICES= ROCR_VISIBLE_DEVICES= OMP_TARGET_OFFLOAD=DEFAULT %t 0
// RUN: %expect-abort CUDA_VISIBLE_DEVICES= ROCR_VISIBLE_DEVICES= %t 1 2>&1 | %check --check-prefix=NONE
// ONE: _VISIBLE_DEVICES=3 hides all devices but these
// NONE: reports no devices: {{.*}}_VISIBLE_DEVICES='' (an empty list) hides all devices

#include "check.h"

int main(int count, char **arguments) {
  (void)count;
  const int devices = atoi(arguments[1]);
  if (devices != 0 && omp_get_num_devices() != 0)
    CHECK_EQ(omp_get_num_devices(), devices);
  int sum = 0;
  for (int device = 0; device < (devices ? devices : 1); device++) {
#pragma omp target device(device) map(tofrom : sum)
    {
      HERE();
      sum += device + 1;
    }
  }
  CHECK_EQ(sum, devices ? devices * (devices + 1) / 2 : 1);
  return devices ? finish() : finish_on_host(1);
}
