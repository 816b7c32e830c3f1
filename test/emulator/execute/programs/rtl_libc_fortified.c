// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that are compiled with -D_FORTIFY_SOURCE, as Debian's packages are: glibc's headers call other functions in
// regions, too. A copy beyond its target stops the kernel and says so. puts prints.
// Clang 16 compiles no such printf.
// REQUIRES: rtl-ours
// RUN: %clang -O2 -D_FORTIFY_SOURCE=2 -Wno-fortify-source %s -o %t
// RUN: %run %t 8 | sort | %FileCheck %s
// RUN: %expect-abort %t 9 2>&1 | %FileCheck %s --check-prefix=BEYOND
// CHECK: end of a line
// CHECK: line 1234567
// CHECK: printed 1, 2.5 and text
// BEYOND: buffer overflow detected: a fortified function would write beyond its target

#include "check.h"

#include <string.h>

struct record {
  char name[8], more[8];
};

// Of arrays of the function's own the compiler knows the sizes.
static void fill(struct record *record, const char *text, size_t length) {
  char name[8] = {0}, more[8] = {0};
  strcpy(name, text);
  strncpy(more, text, length);
  stpcpy(more, text + length - 3);
  strcat(more, text + length - 3);
  strncat(more, text, 2);
  memcpy(name + 1, text, length - 1);
  memmove(name, name + 1, length - 1);
  memset(name, 'x', length - 6);
  memcpy(record->name, name, sizeof name);
  memcpy(record->more, more, sizeof more);
}

int main(int argc, char **argv) {
  const int length = argc > 1 ? atoi(argv[1]) : 8;
  char text[16] = "abcdefghijklmn";
  struct record record = {{0}, {0}}, expected = {{0}, {0}};
  text[length - 1] = 0;
#pragma omp target map(from : record) map(to : text)
  {
    fill(&record, text, (size_t)length);
    puts("end of a line");
    puts("line 1234567");
#if __clang_major__ > 16
    printf("printed %d, %g and %s\n", 1, 2.5, "text");
#endif
  }
#if __clang_major__ <= 16
  puts("printed 1, 2.5 and text");
#endif
  if (length == 8)
    fill(&expected, text, (size_t)length);
  CHECK_EQ(memcmp(&record, &expected, sizeof record), 0);
  return failed_checks != 0;
}
