// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic shared memory begins at a multiple of 16 bytes, behind whatever shared memory a kernel has besides, and all
// of it is there. (Clang 16 for AMD's GPUs cannot compile variables of a team.)
// REQUIRES: rtl-ours
// RUN: %clang %s -o %t
// RUN: %run LIBOMPTARGET_SHARED_MEMORY_SIZE=64 %t
// RUN: %if emulator-cuda %{ grep -a -q "[.]shared [.]align 16 [.]b8 omptarget_dynamic_shared" %t %}

#include "check.h"

#include <stdint.h>

int main(void) {
  uint64_t address = 1;
  double sum = 0;
  int last = 0;
#pragma omp target map(tofrom : address, sum, last)
  {
    volatile char six[6];
#pragma omp allocate(six) allocator(omp_pteam_mem_alloc)
    volatile double *const numbers = llvm_omp_target_dynamic_shared_alloc();
    six[5] = 7;
    for (int i = 0; i < 8; i++)
      numbers[i] = i;
    address = (uint64_t)numbers;
    for (int i = 0; i < 8; i++)
      sum += numbers[i];
    last = six[5];
  }
  CHECK_EQ(address % 16, 0);
  CHECK_EQ(sum, 28);
  CHECK_EQ(last, 7);
  return finish();
}
