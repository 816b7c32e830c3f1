// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The always modifier copies although the data is present or still in use.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

int main(void) {
  int x = 1, y = 2, seen = 0;
#pragma omp target data map(tofrom : x, y)
  {
    x = 10;
    y = 20;
#pragma omp target map(always, to : x) map(to : y) map(from : seen)
    {
      HERE();
      seen = x + y;
    }
    CHECK_EQ(seen, 12);
#pragma omp target map(always, from : x) map(from : y)
    {
      HERE();
      x = 100;
      y = 200;
    }
    CHECK_EQ(x, 100);
    CHECK_EQ(y, 20);
#pragma omp target map(always, tofrom : x)
    {
      HERE();
      x++;
    }
    CHECK_EQ(x, 101);
#pragma omp target enter data map(always, to : y)
#pragma omp target exit data map(always, from : x)
  }
  CHECK_EQ(x, 101);
  CHECK_EQ(y, 20);
  return finish();
}
