// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Valgrind has nothing to say about the library when a program maps, computes and unmaps.

// REQUIRES: runtime-omptarget, lasts, valgrind
// UNSUPPORTED: sanitizer, emulated
// RUN: %clang -g %s -o %t
// RUN: %run OMP_NUM_THREADS=2 valgrind --error-exitcode=9 %t 2>&1 | %check

// CHECK: the sum is 499500
// CHECK: ERROR SUMMARY: 0 errors

#include <stdio.h>
#include <stdlib.h>

#define N 1000
static double values[N];
#pragma omp declare target
double scale = 2;
#pragma omp end declare target

int main(void) {
  double sum = 0;
#pragma omp target enter data map(to : values)
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; i++)
    values[i] += i * scale / 2;
#pragma omp target update from(values)
#pragma omp target map(tofrom : sum)
  for (int i = 0; i < N; i++)
    sum += values[i];
#pragma omp target exit data map(delete : values)
  char *const few = malloc(3);
  few[0] = few[1] = few[2] = 0;
#pragma omp target map(tofrom : few[0 : 3])
  few[2] = 1;
  printf("the sum is %g\n", sum + few[2] - 1);
  free(few);
  return 0;
}
