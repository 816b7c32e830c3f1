// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over teams have the same result to the last bit whatever order the teams come in. They are sums of floats,
// several variables, a combiner that is neither associative nor commutative, in kernels of all three modes. There are
// one team, fewer and more than a warp has lanes, more than the block has threads, more than the buffer has slots.
// Prints each result, and runs of other orders must print the same.
// REQUIRES: rtl-ours
// RUN: %clangxx %s -o %t
// RUN: %run %t >%t.first
// RUN: %run SIM_EXECUTOR_SEED=2 SIM_EXECUTOR_BLOCKS=40 SIM_EXECUTOR_QUANTUM=30 %t >%t.second
// RUN: %run SIM_EXECUTOR_SEED=3 SIM_EXECUTOR_BLOCKS=7 SIM_EXECUTOR_QUANTUM=400 SIM_EXECUTOR_RACES=1 %t >%t.third
// RUN: cmp %t.first %t.second
// RUN: cmp %t.first %t.third
// RUN: %FileCheck %s <%t.first
// CHECK: ok

#include "check.h"

enum { kMost = 1500 * 64 };

static float values[kMost];

struct Chain {
  float value;
  int count;
};
#pragma omp declare target
static inline Chain joined(Chain left, Chain right) {
  return {left.value * 0.75f + right.value, left.count + right.count};
}
#pragma omp end declare target
#pragma omp declare reduction(join:Chain : omp_out = joined(omp_out, omp_in)) initializer(omp_priv = {0.0f, 0})

static void show(const char *what, int teams, int threads, double value) {
  printf("%s, %d teams of %d: %a\n", what, teams, threads, value);
}

static void sum_in_spmd(int teams, int threads, int n) {
  float sum = 0;
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) reduction(+ : sum)             \
    map(to : values[ : n])
  for (int i = 0; i < n; i++)
    sum += values[i];
  show("sum", teams, threads, sum);
}

static void several_in_spmd(int teams, int threads, int n) {
  double sum = 1;
  long count = 2;
  float most = -1e30f;
  signed char odd = 0;
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) reduction(+ : sum, count)      \
    reduction(max : most) reduction(^ : odd) map(to : values[ : n])
  for (int i = 0; i < n; i++) {
    sum += values[i] / 3.0;
    count += i;
    most = values[i] > most ? values[i] : most;
    odd ^= (signed char)i;
  }
  long wanted = 2;
  float wanted_most = -1e30f;
  signed char wanted_odd = 0;
  for (int i = 0; i < n; i++) {
    wanted += i;
    wanted_most = values[i] > wanted_most ? values[i] : wanted_most;
    wanted_odd ^= (signed char)i;
  }
  CHECK_EQ(count, wanted);
  CHECK(most == wanted_most);
  CHECK_EQ(odd, wanted_odd);
  show("several", teams, threads, sum);
}

static void join_in_spmd(int teams, int threads, int n) {
  Chain chain = {0.5f, 0};
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) reduction(join : chain)        \
    map(to : values[ : n])
  for (int i = 0; i < n; i++)
    chain = joined(chain, {values[i], 1});
  CHECK_EQ(chain.count, n);
  show("join", teams, threads, chain.value);
}

// The compiler may have all threads run it.
static void sum_with_regions(int teams, int threads, int n) {
  float sum = 0;
  int rounds = 0;
#pragma omp target teams num_teams(teams) thread_limit(threads) reduction(+ : sum, rounds) map(to : values[ : n])
  {
#pragma omp distribute
    for (int part = 0; part < 300; part++)
#pragma omp parallel for reduction(+ : sum)
      for (int i = part; i < n; i += 300)
        sum += values[i];
    rounds++;
  }
  CHECK_EQ(rounds, teams);
  show("regions", teams, threads, sum);
}

// A thread for each team. clang's code copies the structure as one word of 8 bytes, which must not lie behind a float.
static void sum_alone(int teams, int threads, int n) {
  double sum = 0;
  Chain chain = {0.0f, 0};
#pragma omp target teams distribute num_teams(teams) thread_limit(threads) reduction(+ : sum) reduction(join : chain)  \
    map(to : values[ : n])
  for (int i = 0; i < n; i++) {
    sum += values[i];
    chain = joined(chain, {values[i], 1});
  }
  CHECK_EQ(chain.count, n);
  show("alone", teams, threads, sum);
  show("alone, join", teams, threads, chain.value);
}

int main() {
  for (unsigned i = 0; i < kMost; i++)
    values[i] = static_cast<float>(i * 2654435761u % 1000003u) / static_cast<float>(1u << i % 19);
  const int sizes[][2] = {{1, 64}, {2, 32}, {3, 100}, {33, 96}, {65, 32}, {100, 128}, {200, 64}};
  for (const auto &size : sizes) {
    const int teams = size[0], threads = size[1], n = teams * threads + 7;
    sum_in_spmd(teams, threads, n);
    several_in_spmd(teams, threads, n);
    join_in_spmd(teams, threads, n);
    sum_with_regions(teams, threads, n);
    sum_alone(teams, threads, teams * 3 + 1);
  }
  sum_in_spmd(1500, 32, 1500 * 32 + 5);
  join_in_spmd(1100, 64, 1100 * 64);
  sum_alone(1300, 32, 1300 * 2);
  return finish();
}
