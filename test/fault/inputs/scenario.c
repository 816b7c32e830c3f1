// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program some call of which fails (ending.h).

#include "ending.h"

#include <omp.h>
#include <stdlib.h>

enum { N = 64 };
static int before[N], in[N], out[N], both[N], after[N];
static int global[N];
#pragma omp declare target to(global)
struct list {
  int n, *values;
};
static struct list list;

static void fill(void) {
  for (int i = 0; i < N; i++)
    before[i] = after[i] = 7, in[i] = i, out[i] = -1, both[i] = i, global[i] = i;
}

/// Data that are not copied back are as they were; data that are copied back are old or new, element by element.
static int is_intact(void) {
  for (int i = 0; i < N; i++)
    if (before[i] != 7 || after[i] != 7 || in[i] != i || (out[i] != -1 && out[i] != 2 * i) ||
        (both[i] != i && both[i] != i + 1 && both[i] != i + 2) || global[i] != i || list.values != in + 8 ||
        list.n != 8)
      return 0;
  return 1;
}

/// Routines tell of failures, and the program goes on.
static int use_routines(void) {
  int device = omp_get_default_device(), host = omp_get_initial_device(), back[N] = {0};
  int *memory = omp_target_alloc(sizeof in, device);
  if (!memory)
    return 0;
  if (omp_target_memcpy(memory, in, sizeof in, 0, 0, device, host) == 0 &&
      omp_target_memcpy(back, memory, sizeof in, 0, 0, host, device) == 0)
    for (int i = 0; i < N; i++)
      if (back[i] != i)
        return wrong("a copy that succeeded");
  omp_target_free(memory, device);
  return 0;
}

static int use_constructs(int round) {
#pragma omp target enter data map(to : in)
#pragma omp target data map(from : out) map(to : list, list.values[0 : 8])
  {
#pragma omp target map(tofrom : both) map(present, alloc : in)
    for (int i = 0; i < N; i++) {
      out[i] = 2 * in[i] + 0 * global[i] + 0 * list.values[i % 8];
      both[i]++;
    }
#pragma omp target update from(out)
  }
#pragma omp target exit data map(release : in)
  for (int i = 0; i < N; i++)
    if (out[i] != 2 * i || both[i] != i + round)
      return wrong("what a region computed");
  return 0;
}

int main(void) {
  fill();
  list.n = 8;
  list.values = in + 8;
  signal(SIGABRT, ended);
  if (use_routines() || use_constructs(1) || use_routines() || use_constructs(2) || !is_intact())
    return 1;
  return 0;
}
