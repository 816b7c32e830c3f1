// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static declare target variables. Only clang 14 tells the runtime about them; later ones keep two variables apart.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

#pragma omp declare target
static int hidden = 7;
static int numbers[4] = {1, 2, 3, 4};
int bump(void) { return ++hidden; }
#pragma omp end declare target

int main(void) {
  int seen = 0;
#pragma omp target map(from : seen)
  {
    HERE();
    seen = bump() + numbers[3];
    numbers[0] = 10;
  }
  CHECK_EQ(seen, 8 + 4);
  CHECK_EQ(hidden, 7);
#pragma omp target map(from : seen)
  {
    HERE();
    seen = bump() + numbers[0];
  }
  CHECK_EQ(seen, 9 + 10);
#if __clang_major__ == 14
#pragma omp target update from(hidden, numbers)
  CHECK_EQ(hidden, 9);
  CHECK_EQ(numbers[0], 10);
#endif
  return finish();
}
