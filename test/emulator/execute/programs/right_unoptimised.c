// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that is not optimised compares halves of registers, and the other halves have a shuffle's value from a lane that
// does not take part. No check names that.
// REQUIRES: emulator-amdgpu, clang-22
// RUN: %clang -O0 %s -o %t
// RUN: %run SIM_EXECUTOR_UNWRITTEN=1 SIM_EXECUTOR_STRICT_LANES=1 %t 2>&1 | %FileCheck %s

#include "check.h"

int main(void) {
  double sums[1] = {0};
#pragma omp target parallel for reduction(+ : sums) num_threads(100)
  for (int i = 0; i < 20; ++i)
    sums[0] += i;
  CHECK_EQ(sums[0], 190);
  return finish();
}

// CHECK-NOT: stand-in:
// CHECK: ok
