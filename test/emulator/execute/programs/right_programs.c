// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No check names anything in these programs, whatever compilers make of them. They have atomic operations on parts of a
// word and on floats, and structures with padding. They have reductions of teams without a parallel region, of nested
// teams and of few threads. A load that is wider than its data is named all the same.
// RUN: %clang -gline-tables-only %s -o %t
// RUN: %run LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD=0 SIM_EXECUTOR_UNWRITTEN=1 SIM_EXECUTOR_RACES=1 SIM_EXECUTOR_GLOBAL_RACES=1 SIM_EXECUTOR_STRICT_BARRIERS=1 SIM_EXECUTOR_STRICT_LANES=1 %t atomics 2>&1 | %FileCheck %s
// RUN: %run SIM_EXECUTOR_UNWRITTEN=1 SIM_EXECUTOR_RACES=1 SIM_EXECUTOR_GLOBAL_RACES=1 SIM_EXECUTOR_STRICT_BARRIERS=1 SIM_EXECUTOR_STRICT_LANES=1 %t reductions 2>&1 | %FileCheck %s
// RUN: %run SIM_EXECUTOR_UNWRITTEN=1 LIBOMPTARGET_CHECK=mapping %t structures 2>&1 | %FileCheck %s
// RUN: %run LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD=0 %t atomics 2>&1 | %FileCheck %s
// RUN: %expect-abort LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD=0 %t wide 2>&1 | %FileCheck %s --check-prefix=WIDE

#include "check.h"

#include <string.h>

#define SIZE 64

static void run_atomics(void) {
  char bytes[7] = {0}, letter = 0, flags[3] = {-1, -1, -1}, one[1] = {0};
  unsigned short number = 0;
  float terms[4] = {0}, product = 1;
  double sum = 0, turn = 0;
  int seen[SIZE] = {0};
  // clang-format off
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(32) map(tofrom : bytes, letter, number)
  for (int i = 0; i < SIZE; ++i) {
#pragma omp atomic
    bytes[6] += 1;
#pragma omp atomic
    bytes[i % 3] |= 1 << i % 7;
#pragma omp atomic
    letter += 1;
#pragma omp atomic
    number += 2;
  }
#pragma omp target teams distribute num_teams(3) thread_limit(33) map(tofrom : flags)
  for (int i = 0; i < SIZE; ++i) {
#pragma omp atomic update
    flags[i % 3] &= (char)~(1 << i % 5);
  }
#pragma omp target teams distribute parallel for thread_limit(8) map(tofrom : one)
  for (int i = 0; i < 16; ++i) {
#pragma omp atomic update
    *(one + i % 1) += (char)(i % 3);
  }
#pragma omp target teams distribute num_teams(6) thread_limit(33) map(tofrom : turn, seen)
  for (int i = 0; i < SIZE; ++i) {
    double own;
#pragma omp atomic capture seq_cst
    { turn += 1; own = turn; }
    own = own - 1;
    seen[(int)own] += 1;
  }
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(32) map(tofrom : terms, sum, product)
  for (int i = 0; i < SIZE; ++i) {
#pragma omp atomic update
    terms[i % 4] += 1;
#pragma omp atomic update
    sum += i;
#pragma omp atomic update
    product *= i % 2 ? 2 : 0.5f;
  }
  // clang-format on
  CHECK_EQ(bytes[6], SIZE);
  CHECK_EQ(bytes[0], 127);
  CHECK_EQ((signed char)flags[2], -32);
  CHECK_EQ(letter, SIZE);
  CHECK_EQ(one[0], 15);
  CHECK_EQ(seen[SIZE - 1], 1);
  CHECK_EQ(number, 2 * SIZE);
  CHECK_EQ(terms[3], SIZE / 4);
  CHECK_EQ(sum, SIZE * (SIZE - 1) / 2);
  CHECK_EQ(product, 1);
}

static void run_reductions(void) {
  int teams = 0, sum = 0, few = 0, most = 0, nested = 0, values[8][8];
  for (int i = 0; i < 64; ++i)
    values[i / 8][i % 8] = i;
  // clang-format off
#pragma omp target teams num_teams(4) reduction(+ : teams)
  teams += 1;
#pragma omp target teams distribute collapse(2) reduction(+ : sum)
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 8; ++k)
      sum += values[i][k];
#pragma omp target teams distribute reduction(+ : few) thread_limit(12) num_teams(3)
  for (int i = 0; i < SIZE; ++i)
    few += i;
#pragma omp target teams distribute parallel for reduction(max : most) thread_limit(12) num_teams(3)
  for (int i = 0; i < SIZE; ++i)
    most = most > i ? most : i;
#pragma omp target teams distribute reduction(+ : nested) num_teams(4) thread_limit(64)
  for (int i = 0; i < 8; ++i) {
    int own = 0;
#pragma omp parallel for reduction(+ : own)
    for (int k = 0; k < 20; ++k)
      own += k;
    nested += own;
  }
  // clang-format on
  CHECK_EQ(teams, 4);
  CHECK_EQ(sum, 64 * 63 / 2);
  CHECK_EQ(few, SIZE * (SIZE - 1) / 2);
  CHECK_EQ(most, SIZE - 1);
  CHECK_EQ(nested, 8 * 190);
}

struct record {
  char letter;
  double number;
  int count;
  short code;
};
struct pair {
  char letter;
  int count;
};
static int part[SIZE];

/// Padding is unwritten. So is what is not copied: the check of maps must not read it.
static void run_structures(void) {
  struct record records[20], one;
  struct pair pairs[20];
#pragma omp target teams distribute parallel for map(from : records, pairs)
  for (int i = 0; i < 20; ++i) {
    records[i].letter = 'a';
    records[i].number = i;
    records[i].count = i;
    records[i].code = 1;
    pairs[i].letter = 'b';
    pairs[i].count = i;
  }
#pragma omp target map(from : one)
  {
    one.letter = 'c';
    one.number = 3;
    one.count = 2;
    one.code = 1;
  }
#pragma omp target data map(alloc : part)
  {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < 40; ++i)
      part[i] = i;
#pragma omp target update from(part[0 : 40])
  }
  CHECK_EQ(records[19].number, 19);
  CHECK_EQ(pairs[19].count, 19);
  CHECK_EQ(one.count, 2);
  CHECK_EQ(part[39], 39);
}

static void run_wide(void) {
  char bytes[7] = {0};
#pragma omp target map(tofrom : bytes)
  bytes[0] = *(volatile int *)(bytes + 4) != 0;
  CHECK_EQ(bytes[0], 0);
}

int main(int argc, char **argv) {
  const char *const which = argc > 1 ? argv[1] : "atomics";
  if (strcmp(which, "atomics") == 0)
    run_atomics();
  if (strcmp(which, "reductions") == 0)
    run_reductions();
  if (strcmp(which, "structures") == 0)
    run_structures();
  if (strcmp(which, "wide") == 0)
    run_wide();
  return finish();
}

// CHECK-NOT: stand-in:
// CHECK-NOT: note:
// CHECK: ok
// CHECK-NOT: note:
// WIDE: reads 4 bytes at 0x{{.*}}, which are in no allocation that this device reaches
