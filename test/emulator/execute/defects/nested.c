// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel regions in parallel regions. LLVM 19's device RTL for AMD's GPUs says that __kmpc_parallel_51 does not
// recurse, but a parallel region in a parallel region calls it again. So the compiler counts its stack once, and the
// inner region writes behind the stack that the launch asked for. That of 16 begins with memory that it never set:
// memory as NVIDIA's malloc returned it, and AMD's malloc returns none.
// RUN: %llvm-clang %s -o %t.llvm
// RUN: %if clang-19-or-later && emulator-amdgpu %{ %expect-abort %t.llvm 2>&1 | %FileCheck %s --check-prefix=STACK %}
// RUN: %if !clang-19-or-later && emulator-cuda %{ %expect-abort %t.llvm 2>&1 | %FileCheck %s --check-prefix=GARBAGE %}
// RUN: %if !clang-19-or-later && emulator-amdgpu %{ %expect-abort %t.llvm 2>&1 | %FileCheck %s --check-prefix=NOTHING %}
// RUN: %our-clang %s -o %t
// RUN: %run %t
// RUN: %run SIM_EXECUTOR_SEED=5 SIM_EXECUTOR_RACES=1 %t
// RUN: %run SIM_EXECUTOR_SEED=6 SIM_EXECUTOR_QUANTUM=1 %t

#include "check.h"

int main(void) {
  int sums[64] = {0};
#pragma omp target teams distribute parallel for num_teams(1) thread_limit(64) map(tofrom : sums)
  for (int i = 0; i < 64; i++) {
    int sum = i;
#pragma omp parallel num_threads(2) firstprivate(sum)
#pragma omp atomic
    sums[i] += sum + 1;
    sums[i] += sum;
  }
  for (int i = 0; i < 64; i++)
    CHECK_EQ(sums[i], 2 * i + 1);
  return finish();
}

// STACK: writes {{[0-9]+}} bytes of its stack at 0x{{.*}}; the launch asked for {{[0-9]+}} bytes
// STACK-NEXT: at __kmpc_parallel_51
// GARBAGE: reads 8 bytes at the misaligned address 0x{{[0-9a-f]+}}
// GARBAGE-NEXT: enterDataEnvironment
// NOTHING: reads 8 bytes at 0, which are in no allocation that this device reaches
