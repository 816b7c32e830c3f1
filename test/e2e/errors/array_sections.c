// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A section of negative length is an error, also where its data are present, and in every construct the same.

// RUN: %clang -gline-tables-only %s -o %t
// RUN: %expect-abort %t 0 2>&1 | %check --check-prefixes=CHECK,ENTER
// RUN: %expect-abort %t 1 2>&1 | %check --check-prefixes=CHECK,EXIT
// RUN: %expect-abort %t 2 2>&1 | %check --check-prefixes=CHECK,UPDATE
// RUN: %expect-abort %t 3 2>&1 | %check --check-prefixes=CHECK,UPDATE
// RUN: %expect-abort %t 4 2>&1 | %check --check-prefixes=CHECK,TARGET
// UNSUPPORTED: runtime-llvm

#include <stdio.h>
#include <stdlib.h>

// CHECK: before
// CHECK: omptarget error: size -4 of host address 0x{{[0-9a-f]+}} is negative
// ENTER: omptarget error: in target enter data at {{.*}}array_sections.c:
// EXIT: omptarget error: in target exit data at {{.*}}array_sections.c:
// UPDATE: omptarget error: in target update at {{.*}}array_sections.c:
// TARGET: omptarget error: in target at {{.*}}array_sections.c:
// CHECK-NOT: after
int main(int count, char **arguments) {
  int a[16] = {0};
  const long length = -count / 2; // -1
  long result = 0;
#pragma omp target enter data map(to : a)
#pragma omp target update to(a)
  printf("before\n");
  fflush(stdout);
  const int construct = atoi(arguments[1]);
  if (construct == 0) {
#pragma omp target enter data map(to : a[8 : length])
  } else if (construct == 1) {
#pragma omp target exit data map(from : a[8 : length])
  } else if (construct == 2) {
#pragma omp target update to(a[8 : length])
  } else if (construct == 3) {
#pragma omp target update from(a[8 : length])
  } else {
#pragma omp target map(tofrom : a[8 : length]) map(from : result)
    result = a[8];
  }
  printf("after %ld\n", result);
  return 0;
}
