// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several host threads reduce over teams at once. Code for GPUs by clang 14 to 17 has one buffer for all kernels of an
// image. On the CPU libomp computes wrong sums where teams begin in a parallel region, with LLVM's library, too.

// REQUIRES: executor
// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

enum { THREADS = 6, ROUNDS = 20 };

int main(void) {
  int errors = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : errors)
  for (int round = 0; round < ROUNDS; round++) {
    const long long count = 2000 + 7 * omp_get_thread_num();
    long long sum = 0, largest = 0;
#pragma omp target teams distribute parallel for num_teams(6) map(tofrom : sum) reduction(+ : sum)
    for (long long i = 0; i < count; i++) {
      HERE();
      sum += i + round;
    }
#pragma omp target teams distribute parallel for num_teams(4) map(tofrom : largest) reduction(max : largest)
    for (long long i = 0; i < count; i++)
      largest = i > largest ? i : largest;
    errors += sum != count * (count - 1) / 2 + round * count;
    errors += largest != count - 1;
  }
  CHECK_EQ(errors, 0);
  return finish();
}
