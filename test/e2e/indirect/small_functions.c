// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that lie 4 bytes apart on the host: none hides its neighbour.

// RUN: %indirect-clang -Os %s -o %t
// RUN: %run %t
// REQUIRES: runtime-omptarget

#include "indirect_check.h"

#define SMALL(name, value)                                                                                            \
  __attribute__((noinline, aligned(1))) int name(void) { return value; }                                              \
  OMPTARGET_INDIRECT(name)
SMALL(one, 1)
SMALL(two, 2)
SMALL(three, 3)
SMALL(four, 4)

int main(void) {
  int (*functions[4])(void) = {one, two, three, four};
  int values[4] = {0}, moved = 0;
#pragma omp target map(to : functions) map(from : values) map(tofrom : moved)
  {
    HERE();
    for (int i = 0; i < 4; i++) {
      values[i] = OMPTARGET_TRANSLATE(functions[i])();
      moved += OMPTARGET_TRANSLATE(functions[i]) != functions[i];
    }
  }
  for (int i = 0; i < 4; i++)
    CHECK_EQ(values[i], i + 1);
  CHECK_EQ(moved, 4);
  return finish();
}
