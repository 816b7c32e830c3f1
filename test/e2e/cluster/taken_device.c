// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU that another process has to itself, or that is reached through a service that cannot: the message says whom to
// ask.

// REQUIRES: emulator-cuda
// RUN: %clang %s -o %t
// RUN: %expect-abort SIM_CUDA_FAIL=cuDevicePrimaryCtxRetain:1:46 SLURM_PROCID=3 SLURM_LOCALID=3 %t 2>&1 | %check --check-prefix=TAKEN
// RUN: %expect-abort SIM_CUDA_FAIL=cuDevicePrimaryCtxRetain:1:805 %t 2>&1 | %check --check-prefix=SERVICE
// RUN: %expect-abort SIM_CUDA_FAIL=cuDevicePrimaryCtxRetain:1:2 %t 2>&1 | %check --check-prefix=OTHER
// TAKEN: CUDA_ERROR_DEVICE_UNAVAILABLE (46){{.*}}: another process has the device, whose compute mode is exclusive
// TAKEN: while creating the context of device 0
// TAKEN: rank 3 on
// SERVICE: CUDA_ERROR_MPS_CONNECTION_FAILED (805){{.*}}: NVIDIA's Multi-Process Service stands between
// OTHER-NOT: Multi-Process
// OTHER: CUDA_ERROR_OUT_OF_MEMORY (2)

#include "check.h"

int main(void) {
#pragma omp target
  HERE();
  return finish();
}
