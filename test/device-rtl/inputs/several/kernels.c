// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A further file with a kernel, which calls functions of a file without one.

#include <omp.h>

#include "several.h"

int numbers_in_teams(void) {
  int sum = 0;
#pragma omp target teams num_teams(2) reduction(+ : sum) map(tofrom : sum)
  {
    int numbers[THREADS];
    write_numbers(numbers);
    for (int i = 0; i < THREADS; ++i)
      sum += numbers[i];
  }
  return sum;
}
