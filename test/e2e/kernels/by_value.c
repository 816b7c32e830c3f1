// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of every type that a kernel gets by value: bit patterns, signs, narrow types beside one another.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

#include <complex.h>
#include <math.h>
#include <stdint.h>

enum Color { RED = -1, GREEN = 70000 };
struct Pair {
  int first, second;
};

int main(void) {
  signed char sc = -1;
  unsigned char uc = 255;
  short ss = -30000;
  unsigned short us = 60000;
  int si = -2000000000;
  unsigned ui = 4000000000u;
  int64_t sl = INT64_MIN;
  uint64_t ul = UINT64_MAX;
  float f = -1.25f, zero = -0.0f;
  double d = 1e300, tiny = 5e-324;
  _Bool yes = 1, no = 0;
  enum Color color = RED;
  int wrong = -1;
#pragma omp target map(from : wrong)
  {
    HERE();
    wrong = (sc != -1) + (uc != 255) + (ss != -30000) + (us != 60000) + (si != -2000000000) + (ui != 4000000000u);
    wrong += (sl != INT64_MIN) + (ul != UINT64_MAX) + (f != -1.25f) + (1 / zero > 0) + (d != 1e300);
    wrong += (tiny != 5e-324) + (yes != 1) + (no != 0) + (color != RED);
  }
  CHECK_EQ(wrong, 0);

  // Values that do not fit into eight bytes, or are no scalar.
#ifdef __x86_64__
  long double ld = 1.0L / 3;
#else
  double ld = 1.0 / 3; // clang has no long double on the device there
#endif
  double complex z = 3 + 4 * I;
  __int128 wide = (__int128)1 << 100;
  struct Pair pair = {5, -6};
  wrong = -1;
#pragma omp target firstprivate(z, wide, pair) map(to : ld) map(from : wrong)
  {
    HERE();
    wrong = (creal(z) != 3) + (cimag(z) != 4) + (wide >> 100 != 1) + (pair.first != 5) + (pair.second != -6);
#ifdef __x86_64__
    wrong += ld != 1.0L / 3;
#else
    wrong += ld != 1.0 / 3;
#endif
  }
  CHECK_EQ(wrong, 0);

  // Many floating point values, more than there are registers for them.
  double d0 = 0, d1 = 1, d2 = 2, d3 = 3, d4 = 4, d5 = 5, d6 = 6, d7 = 7, d8 = 8, d9 = 9;
  float f0 = 0, f1 = 1, f2 = 2, f3 = 3, f4 = 4, f5 = 5, f6 = 6, f7 = 7, f8 = 8, f9 = 9;
  double sum = 0;
#pragma omp target map(tofrom : sum)
  {
    HERE();
    sum += d0 + d1 * 2 + d2 * 3 + d3 * 4 + d4 * 5 + d5 * 6 + d6 * 7 + d7 * 8 + d8 * 9 + d9 * 10;
    sum += 1000 * (f0 + f1 * 2 + f2 * 3 + f3 * 4 + f4 * 5 + f5 * 6 + f6 * 7 + f7 * 8 + f8 * 9 + f9 * 10);
  }
  CHECK(sum == 330 + 330000);
  return finish();
}
