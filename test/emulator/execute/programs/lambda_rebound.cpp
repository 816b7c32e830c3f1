// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A defect of clang 16 and 19 for GPUs, in a region that a lambda is called in. A variable that the lambda captures by
// reference becomes the region's own copy, where the variable itself is private there. Data that are mapped around the
// region stay as they were. For CPUs, the lambda's references name the mapped variable.
// RUN: %clangxx -std=c++17 %s -o %t && %run %t

#include "check.h"

int main() {
  int mapped = 1;
  auto add = [&] { mapped += 10; };
#pragma omp target data map(tofrom : mapped)
#pragma omp target
  {
    HERE();
    add();
  }
  CHECK_EQ(mapped, 1); // 11 once the reference stays
  add();
  CHECK_EQ(mapped, 11);
  return finish();
}
