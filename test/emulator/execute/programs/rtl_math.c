// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mathematical functions in regions return the host's results, within units of the last place. They are called through
// clang's wrappers of math.h and the libraries of the GPU's vendor.
// For AMD's GPUs they are in our device RTL, too, so that no option names the vendor's.
// REQUIRES: device-math
// RUN: %if emulator-amdgpu %{ %clang -ffp-contract=off %s -lm -o %t.own && %run %t.own %}
// RUN: %math-clang -ffp-contract=off %s -lm -o %t && %run %t
// RUN: %math-clangxx -ffp-contract=off -x c++ %s -lm -o %t.cxx && %run %t.cxx

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "check.h"

#include <float.h>
#ifdef __cplusplus
#include <cmath>
#else
#include <math.h>
#endif

#define COUNT 64

// X(name, ulps, expression in x and in y, which is positive)
#define FUNCTIONS(X, T, s)                                                                                             \
  X(sin, T, s, 2, sin##s(x))                                                                                           \
  X(cos, T, s, 2, cos##s(x))                                                                                           \
  X(tan, T, s, 4, tan##s(x))                                                                                           \
  X(pow, T, s, 8, pow##s(y, x))                                                                                        \
  X(exp, T, s, 2, exp##s(x))                                                                                           \
  X(log, T, s, 2, log##s(y))                                                                                           \
  X(sqrt, T, s, 2, sqrt##s(y))                                                                                         \
  X(fmax, T, s, 0, fmax##s(x, y))                                                                                      \
  X(fmin, T, s, 0, fmin##s(x, y))                                                                                      \
  X(fma, T, s, 0, fma##s(x, y, x))                                                                                     \
  X(erf, T, s, 4, erf##s(x))                                                                                           \
  X(lgamma, T, s, 8, lgamma##s(y))                                                                                     \
  X(floor, T, s, 0, floor##s(x))                                                                                       \
  X(hypot, T, s, 4, hypot##s(x, y))                                                                                    \
  X(atan2, T, s, 4, atan2##s(x, y))

#define DEFINE(name, T, s, ulps, expression)                                                                           \
  static void on_host_##name##_##T(const T *first, const T *second, T *results) {                                      \
    for (int i = 0; i < COUNT; ++i) {                                                                                  \
      const T x = first[i], y = second[i];                                                                             \
      results[i] = expression;                                                                                         \
    }                                                                                                                  \
  }                                                                                                                    \
  static void on_device_##name##_##T(const T *first, const T *second, T *results) {                                    \
    _Pragma("omp target teams distribute parallel for map(to : first[:COUNT], second[:COUNT]) map(from : results[:COUNT])") for ( \
        int i = 0; i < COUNT; ++i) {                                                                                   \
      const T x = first[i], y = second[i];                                                                             \
      results[i] = expression;                                                                                         \
    }                                                                                                                  \
  }
FUNCTIONS(DEFINE, double, )
FUNCTIONS(DEFINE, float, f)

static int is_near(double is, double wanted, double epsilon, int ulps) {
  return is == wanted || fabs(is - wanted) <= ulps * epsilon * fabs(wanted);
}

#define COMPARE(name, T, s, ulps, expression)                                                                          \
  do {                                                                                                                 \
    T is[COUNT], wanted[COUNT];                                                                                        \
    on_host_##name##_##T(first_##T, second_##T, wanted);                                                               \
    on_device_##name##_##T(first_##T, second_##T, is);                                                                 \
    for (int i = 0; i < COUNT; ++i)                                                                                    \
      if (!is_near(is[i], wanted[i], sizeof(T) == 4 ? FLT_EPSILON : DBL_EPSILON, ulps)) {                              \
        printf("%s of %s(%a, %a) is %a, wanted %a\n", #name, #T, first_##T[i], second_##T[i], is[i], wanted[i]);       \
        CHECK(!"the device computes what the host does");                                                              \
        break;                                                                                                         \
      }                                                                                                                \
  } while (0);

// Two results, in the sequential part of a region, too.
static void check_both(double value) {
  double sine = 0, cosine = 0;
  float sine_of_float = 0, cosine_of_float = 0;
  int on_host = 1;
#pragma omp target map(from : on_host) map(tofrom : sine, cosine, sine_of_float, cosine_of_float)
  {
    on_host = omp_is_initial_device();
    sincos(value, &sine, &cosine);
    sincosf((float)value, &sine_of_float, &cosine_of_float);
  }
  CHECK(!on_host);
  CHECK(is_near(sine, sin(value), DBL_EPSILON, 2));
  CHECK(is_near(cosine, cos(value), DBL_EPSILON, 2));
  CHECK(is_near(sine_of_float, sinf((float)value), FLT_EPSILON, 2));
  CHECK(is_near(cosine_of_float, cosf((float)value), FLT_EPSILON, 2));
}

int main(void) {
  double first_double[COUNT], second_double[COUNT];
  float first_float[COUNT], second_float[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    first_double[i] = 0.37 * (i - 30);
    second_double[i] = 0.11 + 0.29 * i;
    first_float[i] = (float)first_double[i];
    second_float[i] = (float)second_double[i];
  }
  FUNCTIONS(COMPARE, double, )
  FUNCTIONS(COMPARE, float, f)
  // Arguments that a reduction with many bits of pi is for.
  first_double[0] = 1e22;
  first_double[1] = 0x1.921fb54442d18p+800;
  COMPARE(sin, double, , 2, )
  COMPARE(tan, double, , 4, )
  check_both(1.25);
  check_both(1e5);
  return finish();
}
