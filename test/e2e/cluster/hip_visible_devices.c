// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMD's variables that hide devices from HIP and OpenCL hide none from OpenMP: the trace says so.

// REQUIRES: emulator-amdgpu
// RUN: %clang %s -o %t
// RUN: %run HIP_VISIBLE_DEVICES=0 LIBOMPTARGET_DEBUG=plugin %t 2>&1 | %check
// CHECK: HIP_VISIBLE_DEVICES is set, but it hides nothing from OpenMP: ROCR_VISIBLE_DEVICES does

#include "check.h"

int main(void) {
  CHECK_EQ(omp_get_num_devices(), 4);
#pragma omp target
  HERE();
  return finish();
}
