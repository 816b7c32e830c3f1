// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A defect of LLVM 19's device RTL for NVIDIA's GPUs: nothing defines the lock of critical sections. A driver's compiler says so.
// REQUIRES: sim-cuda, clang-19, rtl-llvm
// RUN: %clang %s -o %t
// RUN: %expect-abort %t 2>&1 | %FileCheck %s

int main(void) {
  int count = 0;
#pragma omp target parallel num_threads(32) map(tofrom : count)
#pragma omp critical
  count++;
  return count;
}

// CHECK: CUDA_ERROR_INVALID_PTX{{.*}}the driver's compiler says: unresolved extern function '_ZN4impl{{.*}}CriticalLockEP10omp_lock_t'
