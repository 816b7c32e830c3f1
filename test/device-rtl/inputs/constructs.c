// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructs of most programs: a loop over teams, a reduction over them, a generic kernel. The kernel has a parallel
// loop under a schedule that hands iterations out, and a critical section.

#include <omp.h>
#include <stdio.h>

enum { kSize = 1000 };
static int values[kSize];

int main(void) {
  int sum = 0, entered = 0;
#pragma omp target teams distribute parallel for map(from : values)
  for (int i = 0; i < kSize; i++)
    values[i] = i;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : values)
  for (int i = 0; i < kSize; i++)
    sum += values[i];
#pragma omp target map(tofrom : sum, entered) map(to : values)
  {
    int part = 0;
#pragma omp parallel for schedule(dynamic, 8) reduction(+ : part)
    for (int i = 0; i < kSize; i++)
      part += values[i];
    sum -= part;
#pragma omp parallel
#pragma omp critical
    entered += omp_get_thread_num() >= 0;
  }
  printf("%d %d\n", sum, entered > 0);
  return sum != 0 || entered == 0;
}
