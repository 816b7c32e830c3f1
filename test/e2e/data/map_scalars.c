// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalars of every type, mapped in every direction.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

int main(void) {
  char c = 1;
  short s = 2;
  int i = 3;
  long long l = 4;
  float f = 5.5f;
  double d = 6.25;
  _Bool b = 0;
  int *p = &i;
#pragma omp target map(tofrom : c, s, i, l, f, d, b, p)
  {
    HERE();
    c += 10;
    s += 20;
    i += 30;
    l += 40;
    f *= 2;
    d *= 2;
    b = !b;
    p = 0;
  }
  CHECK_EQ(c, 11);
  CHECK_EQ(s, 22);
  CHECK_EQ(i, 33);
  CHECK_EQ(l, 44);
  CHECK(f == 11.0f);
  CHECK(d == 12.5);
  CHECK_EQ(b, 1);
  CHECK(p == 0);

  int to = 7, from = 1, out = 0;
#pragma omp target map(to : to) map(from : from, out)
  {
    HERE();
    out = to;
    to = 100;
    from = 8;
  }
  CHECK_EQ(out, 7);
  CHECK_EQ(to, 7);
  CHECK_EQ(from, 8);

  int scratch = 9, result = 0;
#pragma omp target map(alloc : scratch) map(from : result)
  {
    HERE();
    scratch = 5;
    result = scratch + 1;
  }
  CHECK_EQ(scratch, 9);
  CHECK_EQ(result, 6);
  return finish();
}
