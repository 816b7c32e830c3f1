// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two images in a program, of which the first fits no device: the other is taken.

// RUN: %clang -fopenmp-targets=%target,%machine-suse-linux-gnu %s -o %t
// RUN: %run %t
// RUN: %python %inputs/patch_image.py machine=21:first %t %t.first
// RUN: chmod +x %t.first
// RUN: %run %t.first 2>&1 | %check
// clang 14 merges equal images into one.
// REQUIRES: runtime-omptarget, clang-15-or-later

// CHECK-NOT: {{.}}
// CHECK: ok

#include "check.h"

int main(void) {
  int x = 1;
#pragma omp target map(tofrom : x)
  {
    HERE();
    x++;
  }
  CHECK_EQ(x, 2);
  return finish();
}
