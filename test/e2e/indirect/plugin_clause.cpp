// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With the compiler plugin the clause of clang 17 and later is all that a program needs.

// RUN: %indirect-clangxx %indirect-plugin %s -o %t
// RUN: %run %t
// RUN: %indirect-clangxx %indirect-plugin -O2 %s -o %t
// RUN: %run %t
// REQUIRES: runtime-omptarget, indirect-plugin, clang-19-or-later

#include "indirect_check.h"

#pragma omp begin declare target indirect
int twice(int x) { return 2 * x + side(); }
int thrice(int x) { return 3 * x + side(); }
#pragma omp end declare target

struct Callback {
  int (*function)(int);
  int argument;
};

int main() {
  Callback callbacks[3] = {{twice, 1}, {thrice, 2}, {twice, 3}};
  int results[3] = {};
#pragma omp target teams distribute parallel for map(from : results) map(to : callbacks)
  for (int i = 0; i < 3; i++)
    results[i] = callbacks[i].function(callbacks[i].argument);
  CHECK_EQ(results[0], 2 + ON_DEVICE);
  CHECK_EQ(results[1], 6 + ON_DEVICE);
  CHECK_EQ(results[2], 6 + ON_DEVICE);
  return finish();
}
