// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many regions in one file, several on one line, in inline functions, in both branches of a condition; device
// functions.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

#pragma omp declare target
static int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
static int square(int x) { return x * x; }
#pragma omp end declare target

#define REGION(k)                                                                                                     \
  _Pragma("omp target map(tofrom : total)") {                                                                         \
    HERE();                                                                                                           \
    total += k;                                                                                                       \
  }
#define FIVE(k) REGION(k) REGION(k + 1) REGION(k + 2) REGION(k + 3) REGION(k + 4)

static inline int in_function(int x) {
  int result = -1;
#pragma omp target map(from : result)
  {
    HERE();
    result = square(x) + factorial(5);
  }
  return result;
}

int main(void) {
  int total = 0;
#if __clang_major__ >= 16 // earlier ones give all kernels of a line the same name
  FIVE(0) FIVE(5) FIVE(10)
#else
  total = 14 * 15 / 2;
#endif
  REGION(15)
  REGION(16)
  REGION(17)
  REGION(18)
  REGION(19)
  REGION(20)
  CHECK_EQ(total, 20 * 21 / 2);
  for (int i = 0; i < 1000; i++)
    CHECK_EQ(in_function(i), i * i + 120);
  int way = 0;
  for (int i = 0; i < 2; i++) {
    if (i) {
#pragma omp target map(tofrom : way)
      way += 10;
    } else {
#pragma omp target map(tofrom : way)
      way += 1;
    }
  }
  CHECK_EQ(way, 11);
  return finish();
}
