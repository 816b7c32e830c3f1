// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU without managed memory has no memory spaces: the handles are null, and nothing is printed.

// REQUIRES: clang-23, emulator-cuda
// UNSUPPORTED: libomp-loads-here
// RUN: %clang -fopenmp-version=60 %s %llvmfolder/lib/libomp.so -o %t
// RUN: %run SIM_CUDA_FAIL=cuMemAllocManaged:+:801 %t 2>&1 | %check --implicit-check-not=omptarget
// CHECK: ok

#include "check.h"

int main(void) {
#pragma omp target
  HERE();
  CHECK(omp_get_device_memspace(0, omp_default_mem_space) == omp_null_mem_space);
  CHECK(omp_get_devices_all_allocator(omp_default_mem_space) == omp_null_allocator);
  CHECK(omp_get_device_memspace(omp_get_initial_device(), omp_default_mem_space) != omp_null_mem_space);
  return finish();
}
