// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An indirect function that the device image lacks: one message that names it, and the others work.

// RUN: %indirect-clang %s -o %t
// RUN: %run %t 2>&1 | %check
// REQUIRES: runtime-omptarget

// CHECK: no device version of the indirect function(s) __omptarget_indirect_lonely
// CHECK-NOT: no device version
// CHECK: ok

#include "indirect_check.h"

static int lonely(int x) { return x; }
OMPTARGET_INDIRECT_HOST_ONLY
OMPTARGET_INDIRECT_EMIT_ENTRY(lonely, lonely)
OMPTARGET_INDIRECT_HOST_END
static int twice(int x) { return 2 * x + side(); }
OMPTARGET_INDIRECT(twice)

int main(void) {
  setvbuf(stdout, 0, _IONBF, 0);
  int (*functions[2])(int) = {twice, lonely};
  for (int round = 0; round < 3; round++) {
    int result = 0, unchanged = 0;
#pragma omp target map(from : result, unchanged) map(to : functions)
    {
      HERE();
      result = OMPTARGET_TRANSLATE(functions[0])(4);
      unchanged = OMPTARGET_TRANSLATE(functions[1]) == functions[1];
    }
    CHECK_EQ(result, 8 + ON_DEVICE);
    CHECK(unchanged);
  }
  return finish();
}
