// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels with 0 to 40 arguments, by reference and by value, each one checked.

// RUN: %clang %s -o %t
// RUN: %run %t
// This plugin passes up to 24.
// UNSUPPORTED: plugins-of-first-abi

#include "check.h"

// a0 ... a39, in lists that end where a kernel ends.
#define LIST_10(f, t) f(t##0) f(t##1) f(t##2) f(t##3) f(t##4) f(t##5) f(t##6) f(t##7) f(t##8) f(t##9)
#define LIST_40(f) LIST_10(f, a) LIST_10(f, a1) LIST_10(f, a2) LIST_10(f, a3)
#define DECLARE(name) long name = ++next;
#define RESET(name) name = ++next;
#define ADD(name) sum = sum * 3 + name;
#define BUMP(name) name += 1000;
#define IS_BUMPED(name) wrong += name != ++next + 1000;
#define IS_KEPT(name) wrong += name != ++next;

static unsigned long wanted_sum(int n) {
  unsigned long sum = 1;
  for (int i = 1; i <= n; i++)
    sum = sum * 3 + i;
  return sum;
}

// n arguments: the result and n - 1 more.
#define BY_VALUE(n, USE)                                                                                              \
  {                                                                                                                   \
    unsigned long sum = 0;                                                                                            \
    _Pragma("omp target map(from : sum)") {                                                                           \
      HERE();                                                                                                         \
      sum = 1;                                                                                                        \
      USE(ADD)                                                                                                        \
    }                                                                                                                 \
    CHECK(sum == wanted_sum(n));                                                                                      \
  }

#define USE_1(f) f(a0)
#define USE_2(f) USE_1(f) f(a1)
#define USE_3(f) USE_2(f) f(a2)
#define USE_4(f) USE_3(f) f(a3)
#define USE_5(f) USE_4(f) f(a4)
#define USE_6(f) USE_5(f) f(a5)
#define USE_7(f) USE_6(f) f(a6)
#define USE_8(f) USE_7(f) f(a7)
#define USE_9(f) USE_8(f) f(a8)
#define USE_10(f) USE_9(f) f(a9)
#define USE_12(f) USE_10(f) f(a10) f(a11)
#define USE_16(f) USE_12(f) f(a12) f(a13) f(a14) f(a15)
#define USE_17(f) USE_16(f) f(a16)
#define USE_20(f) LIST_10(f, a) LIST_10(f, a1)
#define USE_24(f) USE_20(f) f(a20) f(a21) f(a22) f(a23)
#define USE_31(f) LIST_10(f, a) LIST_10(f, a1) LIST_10(f, a2) f(a30)
#define USE_32(f) USE_31(f) f(a31)
#define USE_33(f) USE_32(f) f(a32)
#define USE_39(f) USE_33(f) f(a33) f(a34) f(a35) f(a36) f(a37) f(a38)

int main(void) {
  long next = 0;
  LIST_40(DECLARE)
#pragma omp target
  { HERE(); }
  BY_VALUE(1, USE_1)
  BY_VALUE(2, USE_2)
  BY_VALUE(3, USE_3)
  BY_VALUE(4, USE_4)
  BY_VALUE(5, USE_5)
  BY_VALUE(6, USE_6)
  BY_VALUE(7, USE_7)
  BY_VALUE(8, USE_8)
  BY_VALUE(9, USE_9)
  BY_VALUE(10, USE_10)
  BY_VALUE(12, USE_12)
  BY_VALUE(16, USE_16)
  BY_VALUE(17, USE_17)
  BY_VALUE(20, USE_20)
  BY_VALUE(24, USE_24)
  BY_VALUE(31, USE_31)
  BY_VALUE(32, USE_32)
  BY_VALUE(33, USE_33)
  BY_VALUE(39, USE_39)

  // 40 by reference.
#pragma omp target defaultmap(tofrom : scalar)
  {
    HERE();
    LIST_40(BUMP)
  }
  int wrong = 0;
  next = 0;
  LIST_40(IS_BUMPED)
  CHECK_EQ(wrong, 0);

  // 3 by reference out of 40, between those by value, which stay as they are.
  next = 0;
  LIST_40(RESET)
#pragma omp target map(tofrom : a5, a20, a39)
  {
    HERE();
    LIST_40(BUMP)
  }
  CHECK_EQ(a5, 1006);
  CHECK_EQ(a20, 1021);
  CHECK_EQ(a39, 1040);
  a5 -= 1000;
  a20 -= 1000;
  a39 -= 1000;
  next = 0;
  wrong = 0;
  LIST_40(IS_KEPT)
  CHECK_EQ(wrong, 0);
  return finish();
}
