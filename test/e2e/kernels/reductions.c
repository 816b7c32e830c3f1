// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over teams and threads, collapse, atomic, critical.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

#define N 500

int main(void) {
  int x[N], least = 1 << 30, most = -1, all = 1, bits = 0;
  long sum = 100, count = 0;
  double product = 1;
  for (int i = 0; i < N; i++)
    x[i] = (i * 37) % N;
#pragma omp target teams distribute parallel for reduction(+ : sum) reduction(min : least) reduction(max : most)      \
    map(tofrom : sum, least, most) map(to : x)
  for (int i = 0; i < N; i++) {
    if (i == 0)
      HERE();
    sum += x[i];
    if (x[i] < least)
      least = x[i];
    if (x[i] > most)
      most = x[i];
  }
  CHECK_EQ(sum, 100 + N * (N - 1) / 2);
  CHECK_EQ(least, 0);
  CHECK_EQ(most, N - 1);

#pragma omp target parallel for reduction(* : product) reduction(&& : all) reduction(| : bits) map(tofrom : product)
  for (int i = 0; i < 20; i++) {
    product *= 2;
    all = all && i < 20;
    bits |= 1 << i;
  }
  CHECK(product == 1 << 20);
  CHECK_EQ(all, 1);
  CHECK_EQ(bits, (1 << 20) - 1);

#pragma omp target teams distribute parallel for collapse(2) map(tofrom : count) num_teams(2)
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 30; j++) {
#pragma omp atomic
      count += i < j;
    }
  long wanted = 0;
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 30; j++)
      wanted += i < j;
  CHECK_EQ(count, wanted);

  int parts[3] = {0, 0, 0};
#pragma omp target parallel for reduction(+ : parts) map(tofrom : parts)
  for (int i = 0; i < 99; i++)
    parts[i % 3]++;
  CHECK_EQ(parts[0] + parts[1] + parts[2], 99);
  CHECK_EQ(parts[2], 33);

#ifndef WITHOUT_CRITICAL // where a device runtime lacks it
  int critical = 0;
#pragma omp target parallel num_threads(4) map(tofrom : critical)
  {
#pragma omp critical
    critical++;
  }
  CHECK(critical >= 1 && critical <= 4);
#endif
  return finish();
}
