// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// snprintf and its relatives in regions write what the host's write, for random formats and values and at boundaries,
// into memory of any size. Strings end at the end of their block. No check finds a fault.
// Clang 16 compiles no variadic function for GPUs. Clang 23 takes minutes to link this for AMD's.
// REQUIRES: rtl-ours
// UNSUPPORTED: clang-16, emulator-amdgpu && clang-23
// Code of clang 19 for AMD's GPUs is wrong at -O0, or cannot be linked.
// RUN: %if !(emulator-amdgpu && clang-19) %{ %clang -D_GNU_SOURCE -Wno-format-truncation -O0 %s -o %t.0 && %run %t.0 64 %}
// RUN: %clang -D_GNU_SOURCE -Wno-format-truncation -O2 %s -o %t.2 && %run %t.2 1024
// RUN: %run LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD=0 SIM_EXECUTOR_UNWRITTEN=1 SIM_EXECUTOR_RACES=1 SIM_EXECUTOR_GLOBAL_RACES=1 SIM_EXECUTOR_STRICT_BARRIERS=1 SIM_EXECUTOR_STRICT_LANES=1 %t.2 64 2>&1 | %FileCheck %s
// RUN: %clang -D_GNU_SOURCE -Wno-format-truncation -O2 -D_FORTIFY_SOURCE=2 -Wno-fortify-source %s -o %t.fortified && %run %t.fortified 64
// RUN: %expect-abort %t.fortified 64 long 2>&1 | %FileCheck %s --check-prefix=BEYOND

// CHECK-NOT: {{.}}
// CHECK: right
// CHECK-NOT: {{.}}
// BEYOND: buffer overflow detected: a fortified function would write beyond its target

#include "check.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT 32
#define LENGTH 400 // of a text
#define TEXT 24

enum { DOUBLE, INT, LONG, STRING, STARS, KINDS };
struct one {
  char format[FORMAT];
  int kind, width, precision;
  unsigned size;
  uint64_t bits;
};
struct result {
  char text[LENGTH];
  int length;
};

static int by_list(char *to, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(to, size, format, arguments);
  va_end(arguments);
  return length;
}

static void call(const struct one *one, const char *text, struct result *result) {
  double number;
  memcpy(&number, &one->bits, sizeof number);
  memset(result->text, '#', LENGTH);
  if (one->kind == DOUBLE)
    result->length = snprintf(result->text, one->size, one->format, number, 7);
  else if (one->kind == INT)
    result->length = by_list(result->text, one->size, one->format, (int)one->bits, 7);
  else if (one->kind == LONG)
    result->length = by_list(result->text, one->size, one->format, one->bits, 7);
  else if (one->kind == STRING)
    result->length = snprintf(result->text, one->size, one->format, one->bits % 8 == 0 ? NULL : text, 7);
  else
    result->length =
        by_list(result->text, one->size, one->format, one->width, one->precision, number, 1, one->bits, 'z', text);
}

/// The relatives.
static long call_others(const char *text, char *to, int size) {
  char own[16], *allocated = NULL;
  long sum = sprintf(to, "%d %s", size, text);
  memset(own, 0, sizeof own);
  sum = sum * 100 + snprintf(own, sizeof own, "%s, and more that has no room", text);
  strcat(to, own);
  sum = sum * 100 + asprintf(&allocated, "%s=%5.1f %p", text, size / 8.0, (void *)0);
  strcat(to, allocated);
  free(allocated);
  return sum * 100 + snprintf(NULL, 0, "%%%c%3c", 'a', 'b');
}

/// The compiler knows the size of an array of the function's own. The text is too long if the program is asked for it.
static char write_few(int length) {
  char few[16];
  sprintf(few, "%*d", length, 1);
  return few[0];
}

static uint64_t state = 88172645463325252u;
static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
static uint64_t number(void) {
  static const double boundaries[] = {0.0,  -0.0,   1e23,     9.5,     0.5,     2.5,   1e-5,       9.9999995,
                                      1e21, 1e-310, 4.9e-324, 1.7e308, 1.0 / 3, -1e10, 0x1.8p-1022};
  switch (next() % 6) {
  case 0: return bits_of(boundaries[next() % (sizeof boundaries / sizeof *boundaries)]);
  case 1: return next(); // of any size
  case 2: return next() % 2 ? 0x7ff0000000000000 : 0xfff8000000000000;
  case 3: return bits_of((double)(int64_t)(next() % 4001 - 2000) / 16);
  default: return bits_of((double)(int64_t)next() / 1e16);
  }
}

// glibc 2.36 drops zeros of "%#g" where a number becomes a power of ten by rounding, so none here does.
static void choose(struct one *one) {
  static const char *const lengths[] = {"", "hh", "h", "l", "ll", "j", "z", "t"};
  char *at = one->format;
  one->kind = (int)(next() % KINDS);
  one->size = next() % 3 ? LENGTH : (unsigned)(next() % 30);
  one->bits = one->kind == DOUBLE || one->kind == STARS ? number() : next() >> next() % 64;
  one->width = (int)(next() % 40) - 20;
  one->precision = (int)(next() % 20) - 2;
  if (one->kind == STARS) {
    strcpy(at, next() % 2 ? "%*.*e|%-3d|%#lx|%c|%.3s" : "%+*.*g|%03d|% ld|%c|%30s");
    return;
  }
  at += sprintf(at, "<%%");
  for (int i = (int)(next() % 4); i > 0; i--)
    *at++ = one->kind == STRING ? '-' : "-+ #0"[next() % 5];
  if (next() % 3 == 0)
    at += sprintf(at, "%d", (int)(next() % 30) + 1);
  if (next() % 2)
    at += next() % 6 ? sprintf(at, ".%d", (int)(next() % (next() % 8 ? 22 : 340))) : sprintf(at, ".");
  if (one->kind == INT || one->kind == LONG)
    at += sprintf(at, "%s%c", lengths[one->kind == INT ? next() % 3 : 3 + next() % 5], "diouxX"[next() % 6]);
  else
    *at++ = one->kind == DOUBLE ? "aAeEfFgG"[next() % 8] : 's';
  strcpy(at, "|%d%%");
}

int main(int argc, char **argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 64;
  struct one *ones = (struct one *)calloc((size_t)count, sizeof *ones);
  struct result *expected = (struct result *)calloc((size_t)count, sizeof *expected);
  struct result *found = (struct result *)calloc((size_t)count, sizeof *found);
  char *text = (char *)malloc(TEXT), to_host[200] = {0}, to_device[200] = {0};
  strcpy(text, "the text of 24 letters."); // ends where the block does
  for (int i = 0; i < count; i++) {
    choose(&ones[i]);
    call(&ones[i], text, &expected[i]);
  }
#pragma omp target teams distribute parallel for thread_limit(64) map(to : ones[ : count], text[ : TEXT])              \
    map(tofrom : found[ : count])
  for (int i = 0; i < count; i++)
    call(&ones[i], text, &found[i]);
  for (int i = 0; i < count; i++)
    if (expected[i].length != found[i].length || memcmp(expected[i].text, found[i].text, LENGTH) != 0) {
      printf("%s of %llx, width %d, precision %d: %d '%.80s' on the host, %d '%.80s' on the device\n", ones[i].format,
             (unsigned long long)ones[i].bits, ones[i].width, ones[i].precision, expected[i].length, expected[i].text,
             found[i].length, found[i].text);
      return 1;
    }
  long wanted = call_others(text, to_host, 42), is = 0;
  const int length = argc > 2 ? 200 : 1;
#pragma omp target map(to : text[ : TEXT]) map(tofrom : to_device, is)
  {
    is = call_others(text, to_device, 42);
    is += write_few(length) != '1';
  }
  CHECK_EQ(wanted, is);
  CHECK_EQ(strcmp(to_host, to_device), 0);
  free(ones);
  free(expected);
  free(found);
  free(text);
  if (failed_checks == 0)
    printf("right\n");
  return failed_checks != 0;
}
