// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of several files. Its kernels call functions of a file that has no kernel, in a parallel region, outside of
// one, and with a barrier. With a device RTL in each file these would not know of the kernel's threads.

#include <omp.h>
#include <stdio.h>

#include "several.h"

static int failures;

static void check(const char *what, int index, int value, int expected) {
  if (value == expected)
    return;
  printf("%s: %d at %d, expected %d\n", what, value, index, expected);
  ++failures;
}

int main(void) {
  int outside[THREADS], within[THREADS], shared[THREADS], behind[THREADS];
#pragma omp target map(from : outside, within)
  {
    write_numbers(outside);
#pragma omp parallel num_threads(THREADS)
    within[omp_get_thread_num()] = own_number();
  }
#pragma omp target parallel num_threads(THREADS) map(from : shared, behind)
  behind[omp_get_thread_num()] = neighbour_behind_barrier(shared);
  for (int i = 0; i < THREADS; ++i) {
    check("a region in the other file", i, outside[i], i);
    check("a function in a region", i, within[i], i);
    check("a barrier in the other file", i, behind[i], (i + 1) % THREADS);
  }
#ifdef THREE
  check("kernels of another file", 0, numbers_in_teams(), 2 * (THREADS * (THREADS - 1) / 2));
#endif
  puts(failures == 0 ? "passed" : "failed");
  return failures != 0;
}
