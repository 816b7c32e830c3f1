// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several kernels that reduce, and a critical section, in one image. Where they share the device RTL's function for
// reductions, LLVM 19 drops the store of the upper half of a team's value, as PTX.
// REQUIRES: rtl-ours
// RUN: %clang %s -o %t
// RUN: %run %t
// RUN: %run SIM_EXECUTOR_SEED=4 SIM_EXECUTOR_RACES=1 %t

#include "check.h"

#define N 96

static double values[N];
static int wanted;

static void check_most(void) {
  double most = 0;
#pragma omp target teams distribute parallel for simd reduction(max : most) map(tofrom : most)
  for (int i = 0; i < N; i++)
    if (values[i] > most)
      most = values[i];
  CHECK_EQ(most, 96);
}

static void check_critical(void) {
  double total = 3;
#pragma omp target map(tofrom : total)
#pragma omp parallel
#pragma omp for
  for (int i = 0; i < N; i++) {
#pragma omp critical
    total += values[i];
  }
  CHECK_EQ(total, 3 + wanted);
}

static void check_parts(void) {
  double total = 3;
#pragma omp target teams reduction(+ : total) map(tofrom : total)
#pragma omp distribute
  for (int k = 0; k < 4; k++)
#pragma omp parallel for reduction(+ : total)
    for (int i = k * (N / 4); i < (k + 1) * (N / 4); i++)
      total += values[i];
  CHECK_EQ(total, 3 + wanted);
}

static void check_loop(void) {
  double total = 3;
#pragma omp target teams loop reduction(+ : total) map(tofrom : total)
  for (int i = 0; i < N; i++)
    total += values[i];
  CHECK_EQ(total, 3 + wanted);
}

int main(void) {
  for (int i = 0; i < N; i++) {
    values[i] = i * 37 % 97;
    wanted += i * 37 % 97;
  }
  check_most();
  check_critical();
  check_parts();
  // Up to 16, clang leaves the reduction of this construct out, on every device.
  if (__clang_major__ > 16)
    check_loop();
  return finish();
}
