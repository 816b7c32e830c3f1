// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A defect of clang 19: its code generator for AMD's GPUs ends below -O2 while it counts the registers of LLVM's own
// device RTL. The suites compile with -O2 for that reason.
// REQUIRES: emulator-amdgpu, clang-19
// RUN: not %clang -O0 %s -o %t 2>&1 | %FileCheck %s
// RUN: not %clang -O1 %s -o %t 2>&1 | %FileCheck %s

int main(void) {
  int count = 0;
#pragma omp target parallel num_threads(32) map(tofrom : count)
#pragma omp atomic
  count++;
  return count;
}

// CHECK: Running pass 'Function register usage analysis'
// CHECK: linker command failed due to signal
