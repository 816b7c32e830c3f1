// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of a region do not depend on what the host asks of its own: rounding, traps and flushed denormals. Blocks of
// instructions that are too long for one part compute the same, interpreted and compiled.
// RUN: %clang -D_GNU_SOURCE -ffp-contract=off %s -lm -o %t
// RUN: %run %t && %run SIM_EXECUTOR_INTERPRET=1 %t && %run SIM_EXECUTOR_COMPILE=1 %t

#include <fenv.h>
#include <stdio.h>
#include <string.h>

enum { kCount = 96, kRounds = 20 };

#define STEP(x, y, d)                                                                                                  \
  (x) = ((d) != 0 ? (x) + 1.0 / (d) : (x) * 0.25) - (y);                                                               \
  (y) = (y) * 0.75f + 1e-41f;
#define STEPS(x, y, d) STEP(x, y, d) STEP(x, y, d) STEP(x, y, d) STEP(x, y, d) STEP(x, y, d) STEP(x, y, d)

#define COMPUTE(x, y, i)                                                                                               \
  for (int round = 0; round < kRounds; ++round) {                                                                      \
    const double divisor = (i) % 7;                                                                                    \
    STEPS(x, y, divisor) STEPS(x, y, divisor) STEPS(x, y, divisor) STEPS(x, y, divisor)                                \
  }

static double wide[kCount];
static float small[kCount];

static int differs(const char *setting) {
  static double expected[kCount];
  static float expected_small[kCount];
  fenv_t own;
  fegetenv(&own);
  fesetenv(FE_DFL_ENV);
  for (int i = 0; i < kCount; ++i) {
    double x = i;
    float y = 1e-38f * (float)i;
    COMPUTE(x, y, i)
    expected[i] = x;
    expected_small[i] = y;
  }
  fesetenv(&own);
  memset(wide, 0, sizeof(wide));
#pragma omp target teams distribute parallel for map(from : wide, small)
  for (int i = 0; i < kCount; ++i) {
    double x = i;
    float y = 1e-38f * (float)i;
    COMPUTE(x, y, i)
    wide[i] = x;
    small[i] = y;
  }
  const int is_other = memcmp(wide, expected, sizeof(wide)) != 0 || memcmp(small, expected_small, sizeof(small)) != 0;
  if (is_other)
    printf("%s: another result\n", setting);
  return is_other;
}

int main(int count, char **arguments) {
  (void)arguments;
  int result = 0;
  fesetround(FE_UPWARD);
  feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
#ifdef __x86_64__
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); // as -ffast-math
#endif
  result |= differs("all");
  if (fegetround() != FE_UPWARD)
    result |= printf("the host's rounding is another\n") > 0;
  return result | (count != 1);
}
