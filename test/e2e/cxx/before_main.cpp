// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions before main, in constructors of globals of the host.

// RUN: %clangxx %s -o %t
// RUN: %run %t

#include "check.h"

static int region(int x) {
#pragma omp target map(tofrom : x)
  {
    HERE();
    x *= 3;
  }
  return x;
}

static int early = region(5);

int main() {
  CHECK_EQ(early, 15);
  CHECK_EQ(region(2), 6);
  return finish();
}
