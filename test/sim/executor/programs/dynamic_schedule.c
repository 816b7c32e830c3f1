// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A defect of LLVM 19's device RTL: with a dynamic schedule one thread allocates the trackers of all and stores the pointer while others
// look whether it is there, without a barrier between; the pointer is cleared while others read trackers by it. The same loop with a
// static schedule has no race.
// REQUIRES: clang-19, rtl-llvm
// RUN: %clang %s -o %t && %run SIM_EXECUTOR_RACES=1 %t
// RUN: %clang -DDYNAMIC %s -o %t.dynamic
// RUN: %expect-abort SIM_EXECUTOR_RACES=1 %t.dynamic 2>&1 | %FileCheck %s
// RUN: %expect-abort SIM_EXECUTOR_SEED=3 %t.dynamic 2>&1 | %FileCheck %s --check-prefix=CLEARED

#include "check.h"

#ifdef DYNAMIC
#define KIND dynamic
#else
#define KIND static
#endif

int main(void) {
  int values[96] = {0};
#pragma omp target parallel for schedule(KIND) map(tofrom : values)
  for (int i = 0; i < 96; ++i)
    values[i] = i;
  CHECK_EQ(values[95], 95);
  return finish();
}

// CHECK: of shared memory at 0{{.*}}, which thread {{[0-9]+}} of the block {{wrote|read}} since the last barrier
// Behind a null pointer:
// CLEARED: reads 8 bytes at 0x{{[1-9a-f]?[0-9a-f]00}}, which are in no allocation that this device reaches
