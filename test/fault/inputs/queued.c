// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program with deferred regions and an indirect function, some call of which fails (ending.h).

#include "ending.h"
#include "omptarget/indirect.h"

#include <omp.h>

enum { N = 64, PARTS = 4 };
static int in[N], out[PARTS][N], shared[N];

typedef int (*Function)(int);
static int twice(int x) { return 2 * x; }
OMPTARGET_INDIRECT(twice)

/// Data that are copied back are old or new, element by element. The input does not change.
static int is_intact(void) {
  for (int i = 0; i < N; i++) {
    if (in[i] != i || (shared[i] != 0 && shared[i] != 1 && shared[i] != 2))
      return 0;
    for (int part = 0; part < PARTS; part++)
      if (out[part][i] != -1 && out[part][i] != in[i] + part)
        return 0;
  }
  return 1;
}

static int use_tasks(void) {
#pragma omp target enter data map(to : in) nowait depend(out : in)
  for (int part = 0; part < PARTS; part++) {
#pragma omp target map(from : out[part][0 : N]) nowait depend(in : in) depend(out : out[part])
    for (int i = 0; i < N; i++)
      out[part][i] = in[i] + part;
  }
  for (int round = 0; round < 2; round++) {
#pragma omp target map(tofrom : shared) nowait depend(inout : shared)
    for (int i = 0; i < N; i++)
      shared[i]++;
  }
#pragma omp taskwait
#pragma omp target exit data map(release : in) nowait
#pragma omp taskwait
  for (int i = 0; i < N; i++) {
    if (shared[i] != 2)
      return wrong("what two regions added up");
    for (int part = 0; part < PARTS; part++)
      if (out[part][i] != i + part)
        return wrong("what a deferred region computed");
  }
  return 0;
}

static int use_function(void) {
  Function function = twice;
  int result = 0;
#pragma omp target map(from : result) firstprivate(function)
  result = OMPTARGET_TRANSLATE(function)(21);
  return result == 42 ? 0 : wrong("what an indirect function computed");
}

int main(void) {
  for (int i = 0; i < N; i++) {
    in[i] = i, shared[i] = 0;
    for (int part = 0; part < PARTS; part++)
      out[part][i] = -1;
  }
  signal(SIGABRT, ended);
  return use_tasks() || use_function() || !is_intact();
}
