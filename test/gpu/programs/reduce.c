// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over teams and threads of every operator and several types, more than one in a construct, and many
// launches.

#include "check.h"

#define N 100000
static int v[N];

int main(void) {
  long long sum = 0;
  int most = -1, least = 1 << 30, bits_and = -1, bits_or = 0, bits_xor = 0, all = 1, any = 0;
  double real = 0, product = 1;
  float single = 0;
  for (int i = 0; i < N; i++)
    v[i] = (i * 7919) % N;
#pragma omp target data map(to : v)
  {
#pragma omp target teams distribute parallel for reduction(+ : sum, real, single)
    for (int i = 0; i < N; i++) {
      HERE();
      sum += v[i];
      real += v[i] * 0.5;
      single += 1;
    }
#pragma omp target teams distribute parallel for reduction(max : most) reduction(min : least)
    for (int i = 0; i < N; i++) {
      most = v[i] > most ? v[i] : most;
      least = v[i] < least ? v[i] : least;
    }
#pragma omp target teams distribute parallel for reduction(& : bits_and) reduction(| : bits_or) reduction(^ : bits_xor)
    for (int i = 0; i < N; i++) {
      bits_and &= v[i] | 0x100000;
      bits_or |= v[i];
      bits_xor ^= v[i];
    }
#pragma omp target teams distribute parallel for reduction(&& : all) reduction(|| : any) reduction(* : product)
    for (int i = 0; i < N; i++) {
      all = all && v[i] >= 0;
      any = any || v[i] == 77;
      product *= i % 1000 == 0 ? 1.0625 : 1.0;
    }
  }
  int xor_wanted = 0;
  double product_wanted = 1;
  for (int i = 0; i < N; i++)
    xor_wanted ^= v[i];
  for (int i = 0; i < N / 1000; i++)
    product_wanted *= 1.0625;
  CHECK_EQ(sum, (long long)N * (N - 1) / 2);
  CHECK(real == (double)N * (N - 1) / 4);
  CHECK_EQ(single, N);
  CHECK_EQ(most, N - 1);
  CHECK_EQ(least, 0);
  CHECK_EQ(bits_and, 0x100000);
  CHECK_EQ(bits_or, 131071);
  CHECK_EQ(bits_xor, xor_wanted);
  CHECK_EQ(all, 1);
  CHECK_EQ(any, 1);
  CHECK(product > product_wanted * 0.999999 && product < product_wanted * 1.000001);
  for (int round = 0; round < 200; round++) {
    int count = 0;
#pragma omp target teams distribute parallel for reduction(+ : count)
    for (int i = 0; i < 1000 + round; i++)
      count++;
    CHECK_EQ(count, 1000 + round);
  }
  return finish();
}
