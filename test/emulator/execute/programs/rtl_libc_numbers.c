// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// strtol, strtod and their relatives in regions return what the host's return, to the last bit, with the same end and
// errno: for random text, at the limits of each type, and halfway between two numbers.
// REQUIRES: rtl-ours
// Code of clang 16 and 19 for AMD's GPUs is wrong at -O0, or cannot be linked.
// RUN: %if !(emulator-amdgpu && (clang-16 || clang-19)) %{ %clang -D_GNU_SOURCE -O0 %s -o %t.0 && %run %t.0 %}
// RUN: %clang -D_GNU_SOURCE -O2 %s -o %t.2 && %run %t.2
// RUN: %run SIM_EXECUTOR_UNWRITTEN=1 SIM_EXECUTOR_RACES=1 SIM_EXECUTOR_GLOBAL_RACES=1 %t.2 2>&1 | %FileCheck %s
// RUN: %clangxx -O2 -x c++ %s -o %t.cxx && %run %t.cxx

// CHECK-NOT: {{.}}
// CHECK: right
// CHECK-NOT: {{.}}

#include "check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 800
#define RANDOM 60
#define RESULTS 64

static const char *const kFixed[] = {
    "",
    "-",
    "  +12x",
    "0x",
    "0x1f",
    "0777",
    "08",
    "zz",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    ".",
    "-.5e",
    "1e+",
    "0x.8p1",
    "0x1p-1074",
    "0x1p-1075",
    "0x1.8p-1075",
    "0x1.fffffffffffff8p1023",
    "-INFINITY!",
    "nan(12)z",
    "nan(",
    "1e400",
    "-1e-400",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "2.2250738585072011e-308",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "9007199254740993",
    "9007199254740993.00000000000000000000000000000000000000000000000001",
    "7.0064923216240853546186479164495e-46",
    "7.0064923216240853546186479164496e-46",
    "3.4028235677973366e38",
    "3.4028235677973367e38",
    "0e999999999999999999",
    "1e999999999999999999",
};
#define FIXED ((int)(sizeof kFixed / sizeof *kFixed))
#define TEXTS (FIXED + RANDOM)

static long bits_of(double value) {
  long bits;
  memcpy(&bits, &value, sizeof bits);
  return value == value ? bits : 1; // nan of any kind
}

static int call_all(const char *a, long *r) {
  char *end;
  int n = 0;
#define READ(result, call)                                                                                             \
  errno = 0;                                                                                                           \
  end = NULL;                                                                                                          \
  r[n++] = result(call);                                                                                               \
  r[n++] = (end ? end - a : -1) * 1000 + errno
  READ((long), strtol(a, &end, 10));
  READ((long), strtol(a, &end, 0));
  READ((long), strtol(a, &end, 16));
  READ((long), strtol(a, &end, 36));
  READ((long), strtoll(a, &end, 0));
  READ((long), strtoul(a, &end, 0));
  READ((long), strtoull(a, &end, 7));
  READ((long), strtoimax(a, &end, 2));
  READ((long), strtoumax(a, &end, 8));
  READ(bits_of, strtod(a, &end));
  READ(bits_of, strtof(a, &end));
  // glibc's headers say that these set no errno.
  r[n++] = atoi(strlen(a) < 9 ? a : "-12");
  r[n++] = atol(a);
  r[n++] = atoll(a);
  r[n++] = bits_of(atof(a));
  return n;
}

static unsigned long next(unsigned long *state) {
  return (*state = *state * 6364136223846793005ul + 1442695040888963407ul) >> 16 ^ *state << 40;
}

/// A number that lies halfway between two doubles, or just beyond, with all its digits.
static void write_halfway(char *text, unsigned long bits, int beyond) {
  double value;
  bits &= 0x7fcffffffffffffful;
  memcpy(&value, &bits, sizeof value);
  bits++;
  double above;
  memcpy(&above, &bits, sizeof above);
  snprintf(text, SIZE, "%.760Le", ((long double)value + above) / 2);
  char *exponent = strchr(text, 'e');
  if (beyond)
    exponent[-1] = '1';
}

int main(void) {
  static char texts[TEXTS][SIZE];
  static long expected[TEXTS][RESULTS], found[TEXTS][RESULTS];
  unsigned long state = 11;
  for (int i = 0; i < FIXED; i++)
    strcpy(texts[i], kFixed[i]);
  for (int i = FIXED; i < TEXTS; i++) {
    double value;
    const unsigned long bits = next(&state);
    memcpy(&value, &bits, sizeof value);
    if (i % 4 == 0)
      write_halfway(texts[i], bits, i % 8 == 0);
    else if (i % 4 == 1)
      snprintf(texts[i], SIZE, "%.*e", (int)(next(&state) % 25), value);
    else if (i % 4 == 2)
      snprintf(texts[i], SIZE, "%a", value);
    else
      for (int j = 0, length = next(&state) % 14; j < length; j++)
        texts[i][j] = "0123456789.eExp-+ nafi"[next(&state) % 22];
  }
  for (int i = 0; i < TEXTS; i++)
    call_all(texts[i], expected[i]);
#pragma omp target teams distribute parallel for thread_limit(32) map(to : texts) map(from : found)
  for (int i = 0; i < TEXTS; i++) {
    for (int j = 0; j < RESULTS; j++)
      found[i][j] = 0;
    call_all(texts[i], found[i]);
  }
  for (int i = 0; i < TEXTS; i++)
    for (int j = 0; j < RESULTS; j++)
      if (expected[i][j] != found[i][j]) {
        printf("text '%s', result %d: %lx on the host, %lx on the device\n", texts[i], j, expected[i][j], found[i][j]);
        return 1;
      }
  printf("right\n");
  return 0;
}
