// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program may have cleared its environment before its first region.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

int main(void) {
  clearenv();
  int x = 1;
#pragma omp target map(tofrom : x)
  {
    HERE();
    x++;
  }
  CHECK_EQ(x, 2);
  // The variables of a program that sets some later are all there.
  setenv("OMPTARGET_TEST_A", "a", 1);
  setenv("OMPTARGET_TEST_B", "b", 1);
  CHECK(getenv("OMPTARGET_TEST_A") && getenv("OMPTARGET_TEST_B"));
  return finish();
}
