// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries of the form that the RFC defines (OMP_DECLARE_TARGET_FPTR, size 0), which no clang emits: made by hand. The
// device's own entry has the address, there is no variable.

// RUN: %indirect-clang %s -o %t
// RUN: %run %t
// REQUIRES: runtime-omptarget
// This plugin looks at dynamic symbols only.
// UNSUPPORTED: plugins-of-first-abi

#include "indirect_check.h"

static int twice(int x) { return 2 * x + side(); }
static int thrice(int x) { return 3 * x + side(); }

RFC_INDIRECT(twice)
RFC_INDIRECT(thrice)

typedef int (*Function)(int);

int main(void) {
  Function functions[2] = {twice, thrice};
  int results[2] = {0};
#pragma omp target map(to : functions) map(from : results)
  {
    HERE();
    for (int i = 0; i < 2; i++)
      results[i] = OMPTARGET_TRANSLATE(functions[i])(10);
  }
  CHECK_EQ(results[0], 20 + ON_DEVICE);
  CHECK_EQ(results[1], 30 + ON_DEVICE);
  return finish();
}
