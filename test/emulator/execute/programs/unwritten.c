// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, addresses and results that depend on memory which nobody wrote are named, with the place that has read it.
// Loads alone are not, nor what is written before it is used, in global memory, shared memory and on the stack.
// RUN: %clang -gline-tables-only %s -o %t
// RUN: %run SIM_EXECUTOR_UNWRITTEN=1 %t none 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: %run %t sum 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: %run SIM_EXECUTOR_UNWRITTEN=1 %t sum 2>&1 | %FileCheck %s --check-prefix=SUM
// RUN: %run SIM_EXECUTOR_UNWRITTEN=1 %t partial 2>&1 | %FileCheck %s --check-prefix=PARTIAL
// RUN: %run SIM_EXECUTOR_UNWRITTEN=1 %t gaps 2>&1 | %FileCheck %s --check-prefix=GAPS
// RUN: %run SIM_EXECUTOR_UNWRITTEN=1 %t reduced 2>&1 | %FileCheck %s --check-prefix=REDUCED
// RUN: %expect-abort SIM_EXECUTOR_UNWRITTEN=1 %t branch 2>&1 | %FileCheck %s --check-prefix=BRANCH
// RUN: %expect-abort SIM_EXECUTOR_UNWRITTEN=1 %t zero 2>&1 | %FileCheck %s --check-prefix=ZERO
// RUN: %expect-abort SIM_EXECUTOR_UNWRITTEN=1 %t address 2>&1 | %FileCheck %s --check-prefix=ADDRESS
// RUN: %expect-abort SIM_EXECUTOR_UNWRITTEN=1 %t stack 2>&1 | %FileCheck %s --check-prefix=STACK

#include "check.h"

#include <string.h>

#define SIZE 64
static int from[SIZE], to[SIZE], scratch[SIZE];

struct padded {
  char letter;
  long number;
};

/// All of it is written before it is used, or never decides anything.
static void run_none(void) {
  struct padded here[4] = {{0, 0}}, there[4];
#pragma omp target teams distribute parallel for map(to : from) map(from : to) map(alloc : scratch)
  for (int i = 0; i < SIZE; ++i) {
    scratch[i] = from[i];
    to[i] = scratch[i] + (scratch[SIZE - 1 - i] & 0); // loaded perhaps before it is written
  }
#pragma omp target map(to : here) map(tofrom : there)
  for (int i = 0; i < 4; ++i)
    there[i] = here[i];
  int sum = 0;
#pragma omp target parallel for num_threads(64) reduction(+ : sum) map(from : to)
  for (int i = 0; i < SIZE; ++i) {
    int own[8];
    for (int k = 0; k < 8; ++k)
      own[k] = i + k;
    to[i] = own[i % 8];
    sum += own[(i + 1) % 8] > 3;
  }
  if (to[0] != 0 || there[0].number != 0)
    puts("wrong");
}

static void run_sum(void) {
#pragma omp target teams distribute parallel for map(to : from) map(from : to) map(alloc : scratch)
  for (int i = 0; i < SIZE; ++i)
    to[i] = from[i] + scratch[i]; // SUM
}

static void run_partial(void) {
#pragma omp target map(to : from) map(from : to)
  for (int i = 0; i < SIZE - 4; ++i)
    to[i] = from[i];
}

static void run_gaps(void) {
#pragma omp target map(to : from) map(from : to)
  for (int i = 0; i < SIZE; ++i)
    if (i % 16 < 12)
      to[i] = from[i];
}

static void run_reduced(void) {
  double sum = 0;
  static double terms[SIZE];
#pragma omp target teams distribute parallel for reduction(+ : sum) map(alloc : terms)
  for (int i = 0; i < SIZE; ++i)
    sum += terms[i];
}

static void run_branch(void) {
#pragma omp target teams distribute parallel for map(tofrom : to) map(alloc : scratch)
  for (int i = 0; i < SIZE; ++i)
    if (scratch[i] > 5)
      to[i] = 0;
}

static void run_zero(void) {
  int flag, result = 0;
#pragma omp target map(alloc : flag) map(tofrom : result)
  if (flag)
    for (int i = 0; i < 10; ++i)
      result += omp_get_num_threads();
}

static void run_address(void) {
#pragma omp target teams distribute parallel for map(to : from) map(from : to) map(alloc : scratch)
  for (int i = 0; i < SIZE; ++i)
    to[i] = from[scratch[i] & (SIZE - 1)];
}

static void run_stack(void) {
#pragma omp target parallel for num_threads(64) map(to : from) map(tofrom : to)
  for (int i = 0; i < SIZE; ++i) {
    volatile int own[8];
    own[from[i] & 3] = i;
    if (own[4 + (from[i] & 3)] == 3)
      to[i] = 1;
  }
}

int main(int argc, char **argv) {
  const char *const which = argc > 1 ? argv[1] : "none";
  static const struct {
    const char *name;
    void (*run)(void);
  } runs[] = {{"none", run_none}, {"sum", run_sum},         {"partial", run_partial},
              {"gaps", run_gaps}, {"reduced", run_reduced}, {"branch", run_branch},
              {"zero", run_zero}, {"address", run_address}, {"stack", run_stack}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i)
    if (strcmp(runs[i].name, which) == 0)
      runs[i].run();
  puts("done");
  return 0;
}

// NONE-NOT: {{nobody|wrong}}
// NONE: done
// SUM: stand-in: a copy of 256 bytes to the host: bytes 0 to 255 depend on memory that nobody wrote
// SUM-NEXT: that memory is read: at {{.*}}unwritten.c:5
// SUM: done
// PARTIAL: stand-in: a copy of 256 bytes to the host: bytes 240 to 255 are from memory that nobody wrote
// GAPS: stand-in: a copy of 256 bytes to the host: 64 bytes in 4 places, the first bytes 48 to 63, are from memory that nobody wrote
// REDUCED: stand-in: a copy of 8 bytes to the host: bytes 0 to {{[67]}} depend on memory that nobody wrote
// REDUCED-NEXT: that memory is read: at {{.*}}unwritten.c:7
// BRANCH: stand-in: kernel {{.*}}: which way a branch goes depends on memory that nobody wrote
// BRANCH-NEXT: at {{.*}}unwritten.c:
// BRANCH-NEXT: that memory is read: at {{.*}}unwritten.c:
// ZERO: stand-in: kernel {{.*}}: which way a branch goes depends on memory that nobody wrote
// ADDRESS: stand-in: kernel {{.*}}: an address depends on memory that nobody wrote
// ADDRESS: that memory is read: at {{.*}}unwritten.c:
// STACK: stand-in: kernel {{.*}}: which way a branch goes depends on memory that nobody wrote
