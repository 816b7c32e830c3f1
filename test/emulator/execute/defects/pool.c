// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that device code gives back can be had again. LLVM 19's device RTL for AMD's GPUs never frees any: it traps
// when requests have used up the pool. (For NVIDIA's GPUs the driver has the memory.)
// REQUIRES: emulator-amdgpu, clang-19
// RUN: %llvm-clang %s -o %t.llvm
// RUN: %expect-abort LIBOMPTARGET_HEAP_SIZE=65536 %t.llvm 2>&1 | %FileCheck %s
// RUN: %our-clang %s -o %t
// RUN: %run LIBOMPTARGET_HEAP_SIZE=65536 %t
// RUN: %run LIBOMPTARGET_HEAP_SIZE=65536 SIM_EXECUTOR_SEED=2 SIM_EXECUTOR_QUANTUM=3 %t

#include "check.h"

#include <stdlib.h>

#define THREADS 8
#define TURNS 40
#define SIZE 4000

int main(void) {
  int wrong = 0;
#pragma omp target parallel num_threads(THREADS) map(tofrom : wrong)
  for (int turn = 0; turn < TURNS; turn++) {
    int *memory = malloc(SIZE);
    memory[SIZE / 4 - 1] = memory[0] = turn * THREADS + omp_get_thread_num();
    if (memory[0] != memory[SIZE / 4 - 1] || memory[0] % THREADS != omp_get_thread_num())
#pragma omp atomic
      wrong++;
    free(memory);
  }
  CHECK_EQ(wrong, 0);
  return finish();
}

// CHECK: trap {{[0-9]+}}: the program ends the kernel
