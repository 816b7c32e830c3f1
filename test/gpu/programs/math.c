// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mathematical functions on the device beside the host's: a few units in the last place apart at most, arguments far
// from 0 among them.

#include "check.h"

#include <float.h>
#include <math.h>

enum { N = 500 };
static double arguments[N]; // computed once, as a device may contract what computes them

// Each function of one argument, and what it is called with.
// clang-format off
#define FUNCTIONS(DO)                                                                                                  \
  DO(sin, x) DO(cos, x) DO(tan, x) DO(exp, x / 40) DO(log, fabs(x) + 0.1) DO(sqrt, fabs(x)) DO(cbrt, x) DO(atan, x)    \
  DO(asin, x / 500) DO(sinh, x / 40) DO(tanh, x / 40) DO(erf, x / 40) DO(lgamma, fabs(x) + 0.5) DO(floor, x) DO(rint, x)
// clang-format on

/// How far apart two values are, in units of the epsilon of their type, for results about 1 in size absolutely.
static double apart(double a, double b, double epsilon) {
  const double size = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
  return isnan(a) || isnan(b) ? 1e9 : fabs(a - b) / (epsilon * (size > 1 ? size : 1));
}

#define LOOP "omp target teams distribute parallel for map(to : arguments) map(from : wide, narrow)"
#define DO(function, argument)                                                                                         \
  static void check_##function(void) {                                                                                 \
    static double wide[N];                                                                                             \
    static float narrow[N];                                                                                            \
    _Pragma(LOOP) for (int i = 0; i < N; i++) {                                                                        \
      const double x = arguments[i];                                                                                   \
      HERE();                                                                                                          \
      wide[i] = function(argument);                                                                                    \
      narrow[i] = function##f((float)(argument));                                                                      \
    }                                                                                                                  \
    for (int i = 0; i < N; i++) {                                                                                      \
      const double x = arguments[i];                                                                                   \
      CHECK(apart(wide[i], function(argument), DBL_EPSILON) < 16);                                                     \
      CHECK(apart(narrow[i], function((double)(float)(argument)), FLT_EPSILON) < 16);                                  \
    }                                                                                                                  \
  }
FUNCTIONS(DO)
#undef DO

static void check_two_arguments(void) {
  static double results[5][N];
#pragma omp target teams distribute parallel for map(to : arguments) map(from : results)
  for (int i = 0; i < N; i++) {
    const double x = fabs(arguments[i]), y = arguments[N - 1 - i] / 100;
    results[0][i] = pow(x + 0.01, y);
    results[1][i] = fmod(x, 0.7);
    results[2][i] = atan2(y, x);
    results[3][i] = fma(x, y, 1e-3) + fmax(x, y);
    results[4][i] = hypot(x, y);
  }
  for (int i = 0; i < N; i++) {
    const double x = fabs(arguments[i]), y = arguments[N - 1 - i] / 100;
    CHECK(apart(results[0][i], pow(x + 0.01, y), DBL_EPSILON) < 16);
    CHECK(apart(results[1][i], fmod(x, 0.7), DBL_EPSILON) < 16);
    CHECK(apart(results[2][i], atan2(y, x), DBL_EPSILON) < 16);
    CHECK(results[3][i] == fma(x, y, 1e-3) + fmax(x, y));
    CHECK(apart(results[4][i], hypot(x, y), DBL_EPSILON) < 16);
  }
}

int main(void) {
  for (int i = 0; i < N; i++)
    arguments[i] = (i - N / 2) * 1.7;
#define DO(function, argument) check_##function();
  FUNCTIONS(DO)
  check_two_arguments();
  return finish();
}
