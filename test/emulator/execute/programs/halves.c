// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of 16 bits on the device beside those of the host: operations over values at the edges, alone and in vectors.
// And sums by atomics, and products that are added to a float.
// RUN: %clang -O2 -fno-strict-aliasing -ffp-contract=off %s -lm -o %t && %run %t

#include "check.h"

#include <stdint.h>
#include <string.h>

#define VALUES 28
#define PAIRS (VALUES * VALUES)

typedef _Float16 Pair __attribute__((ext_vector_type(2)));

static const double kNumbers[VALUES] = {
    0.0, -0.0,  1.0,  -1.0, 0.5,    1.5,     2.5,     -2.5,   3.140625, 1e-3, -7.25, 2049.0, 65504.0, 65519.0,
    1e5, -1e-5, 6e-8, 3e-8, 6.1e-5, -6.1e-5, 1.00098, 0.9995, 0.3333,   1e10, -1e38, 1e-38,  1024.5,  -32768.0};

// X(name, type of the result, expression of a, b and an integer n). Which of two zeros is less is left open.
#define OPERATIONS(X)                                                                                                  \
  X(add, _Float16, a + b)                                                                                              \
  X(sub, _Float16, a - b)                                                                                              \
  X(mul, _Float16, a *b)                                                                                               \
  X(div, _Float16, a / b)                                                                                              \
  X(neg, _Float16, -a)                                                                                                 \
  X(abs, _Float16, __builtin_fabsf16(a))                                                                               \
  X(sqrt, _Float16, __builtin_sqrtf(a))                                                                                \
  X(min, _Float16, 1 - __builtin_fminf16(a, b))                                                                        \
  X(max, _Float16, 1 - __builtin_fmaxf16(a, b))                                                                        \
  X(floor, _Float16, __builtin_floorf16(a))                                                                            \
  X(ceil, _Float16, __builtin_ceilf16(a))                                                                              \
  X(trunc, _Float16, __builtin_truncf16(a))                                                                            \
  X(rint, _Float16, __builtin_rintf16(a))                                                                              \
  X(sign, _Float16, __builtin_copysignf16(a, b))                                                                       \
  X(larger, _Float16, a > b ? a : b)                                                                                   \
  X(compare, int, (a < b) + 2 * (a == b) + 4 * (a >= b) + 8 * (a != b) + 16 * !(a < b))                                \
  X(wide, float, (float)a *(float)b + 0.25f)                                                                           \
  X(wider, double, (double)a *b)                                                                                       \
  X(narrow, _Float16, (float)a * 1.0001f + 1)                                                                          \
  X(from_double, _Float16, (double)a * 1.0001)                                                                         \
  X(to_int, int, (int)(__builtin_fabsf16(a) < 60000 ? a : 7))                                                          \
  X(to_short, short, (short)(__builtin_fabsf16(a) < 30000 ? a : 7))                                                    \
  X(to_long, long, (long)(__builtin_fabsf16(a) < 60000 ? a : 3))                                                       \
  X(from_int, _Float16, n * 17)                                                                                        \
  X(from_short, _Float16, (short)(n * 91))                                                                             \
  X(from_unsigned, _Float16, (unsigned short)(n * 91))                                                                 \
  X(from_long, _Float16, (long)n * 1001)

static int is_same(const void *one, const void *other, size_t size) {
  if (memcmp(one, other, size) == 0)
    return 1;
  _Float16 halves[2];
  float floats[2];
  double doubles[2];
  memcpy(&halves[0], one, 2), memcpy(&halves[1], other, 2);
  memcpy(&floats[0], one, size < 4 ? size : 4), memcpy(&floats[1], other, size < 4 ? size : 4);
  memcpy(&doubles[0], one, size), memcpy(&doubles[1], other, size);
  return size == 2   ? __builtin_isnan(halves[0]) && __builtin_isnan(halves[1])
         : size == 4 ? __builtin_isnan(floats[0]) && __builtin_isnan(floats[1])
                     : __builtin_isnan(doubles[0]) && __builtin_isnan(doubles[1]);
}

#define RUN(name, R, expression)                                                                                       \
  static void run_##name(const _Float16 *values) {                                                                     \
    static R of_device[PAIRS], of_host[PAIRS];                                                                         \
    _Pragma(                                                                                                           \
        "omp target teams distribute parallel for map(to: values[0 : VALUES]) map(from: of_device)") for (int n = 0;   \
                                                                                                          n < PAIRS;   \
                                                                                                          ++n) {       \
      const _Float16 a = values[n / VALUES], b = values[n % VALUES];                                                   \
      (void)a, (void)b;                                                                                                \
      of_device[n] = (R)(expression);                                                                                  \
    }                                                                                                                  \
    for (int n = 0; n < PAIRS; ++n) {                                                                                  \
      const _Float16 a = values[n / VALUES], b = values[n % VALUES];                                                   \
      (void)a, (void)b;                                                                                                \
      of_host[n] = (R)(expression);                                                                                    \
      if (!is_same(&of_device[n], &of_host[n], sizeof(R)))                                                             \
        printf(#name " of %g and %g (%d): %g instead of %g\n", (double)a, (double)b, n, (double)of_device[n],          \
               (double)of_host[n]),                                                                                    \
            exit(1);                                                                                                   \
    }                                                                                                                  \
  }
OPERATIONS(RUN)

static void run_vectors(const _Float16 *values) {
  enum { COUNT = VALUES / 2 };
  static Pair sums[COUNT * COUNT], products[COUNT * COUNT], least[COUNT * COUNT], turned[COUNT * COUNT];
#pragma omp target teams distribute parallel for map(to : values[0 : VALUES]) map(from : sums, products, least, turned)
  for (int n = 0; n < COUNT * COUNT; ++n) {
    const Pair a = {values[n / COUNT], values[n / COUNT + COUNT]}, b = {values[n % COUNT + COUNT], values[n % COUNT]};
    sums[n] = a + b;
    products[n] = a * b.yx;
    least[n] = 1 - __builtin_elementwise_min(a, b); // zeros are the same
    turned[n] = b.yx - a.x;
  }
  for (int n = 0; n < COUNT * COUNT; ++n) {
    const _Float16 a[] = {values[n / COUNT], values[n / COUNT + COUNT]},
                   b[] = {values[n % COUNT + COUNT], values[n % COUNT]};
    for (int part = 0; part < 2; ++part) {
      const _Float16 sum = a[part] + b[part], product = a[part] * b[1 - part],
                     smallest = 1 - __builtin_fminf16(a[part], b[part]), difference = b[1 - part] - a[0];
      _Float16 of_device[] = {sums[n][part], products[n][part], least[n][part], turned[n][part]};
      CHECK(is_same(&of_device[0], &sum, 2) && is_same(&of_device[1], &product, 2));
      CHECK(is_same(&of_device[2], &smallest, 2) && is_same(&of_device[3], &difference, 2));
    }
  }
}

static void run_sums(void) {
  enum { COUNT = 1000 };
  static _Float16 a[COUNT], b[COUNT];
  for (int n = 0; n < COUNT; ++n) {
    a[n] = (_Float16)(n % 13);
    b[n] = (_Float16)(n % 7) / 4;
  }
  _Float16 counted = 0, places[3] = {0, 0, 0};
  float dot = 0, expected = 0;
#pragma omp target teams distribute parallel for map(to : a, b) map(tofrom : counted, places, dot) reduction(+ : dot)
  for (int n = 0; n < COUNT; ++n) {
    dot += (float)a[n] * (float)b[n];
#pragma omp atomic update
    counted += 1;
#pragma omp atomic update
    places[n % 3] += (_Float16)0.5;
  }
  for (int n = 0; n < COUNT; ++n)
    expected += (float)a[n] * (float)b[n];
  CHECK(dot == expected && counted == COUNT);
  CHECK(places[0] == 167 && places[1] == 166.5 && places[2] == 166.5);
}

int main(void) {
  _Float16 values[VALUES];
  for (int i = 0; i < VALUES; ++i)
    values[i] = (_Float16)kNumbers[i];
#define CALL(name, R, expression) run_##name(values);
  OPERATIONS(CALL)
  run_vectors(values);
  run_sums();
  return finish();
}
