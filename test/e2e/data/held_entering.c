// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A construct enters four arrays: two are absent, one is present, and one is just being copied by another thread. The
// construct may take back any part and begin it anew, and others may leave the data meanwhile. Results that only the
// device has must not be lost. Compilers pass the arrays in an order of their own, so that each array is tried in each
// part.

// RUN: %clang %s -o %t
// RUN: %run %t
// Observed:
// RUN: %run LIBOMPTARGET_INFO=63 %t 2> %t.info
// A sanitizer has a memcpy of its own.
// UNSUPPORTED: sanitizer

#include "check.h"
#include "held_copy.h"

#define N 512

static long a[N], b[N], c[N], d[N];
// The arrays by their state.
static long *present, *arriving, *absent, *held;

static void enter_all(void) {
#pragma omp target enter data map(to : a, b, c, d)
}
static void exit_all(void) {
#pragma omp target map(alloc : a, b, c, d)
  a[1] = b[1] = c[1] = d[1] = 1;
#pragma omp target exit data map(from : a, b, c, d)
}
static void region(void) {
#pragma omp target map(tofrom : a, b, c, d)
  {
    HERE();
    a[1] = b[1] = c[1] = d[1] = 1;
  }
}
static void no_exit(void) {}

enum { OF_ARRIVING, OF_HELD, OF_HELD_AGAIN };

static void run_threads(void (*enter)(void)) {
#pragma omp parallel num_threads(3)
  switch (omp_get_thread_num()) {
  case 0: {
#pragma omp target enter data map(to : arriving[0 : N])
  } break;
  case 1:
    is_copy_held(OF_ARRIVING, 20000);
    enter();
    break;
  default:
    // The construct may have referenced what is present. Nobody else references it from now on.
    is_copy_held(OF_HELD, PATIENCE);
#pragma omp target exit data map(from : present[0 : N])
    let_copy_go_on(OF_HELD);
    is_copy_held(OF_HELD_AGAIN, PATIENCE / 8);
    let_copy_go_on(OF_ARRIVING);
  }
}

static void test(const char *name, void (*enter)(void), void (*leave)(void)) {
  const int before = failed_checks;
  for (int i = 0; i < N; i++)
    a[i] = b[i] = c[i] = d[i] = 0;
#pragma omp target enter data map(to : present[0 : N])
#pragma omp target map(alloc : present[0 : N])
  present[0] = 1;
  hold_copy(OF_ARRIVING, NULL, arriving, sizeof a);
  hold_copy(OF_HELD, NULL, held, sizeof a);
  hold_copy(OF_HELD_AGAIN, NULL, held, sizeof a);
  let_copy_go_on(OF_HELD_AGAIN);
  run_threads(enter);
  for (int i = 0; i < HELD_COPIES; i++) // no copy is held from now on
    atomic_store(&held_copies[i].state, COPY_UNKNOWN);
  leave();
#pragma omp target exit data map(from : arriving[0 : N])
  CHECK_EQ(present[0], 1);
  CHECK_EQ(present[1], 1);
  CHECK_EQ(held[1], 1);
  CHECK_EQ(absent[1], 1);
  CHECK_EQ(arriving[1], 1);
  if (failed_checks != before)
    printf("%s: a result is lost\n", name);
}

int main(void) {
  long *const all[4] = {a, b, c, d};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 4; k++) {
        if (i == j || j == k || i == k)
          continue;
        present = all[i];
        arriving = all[j];
        held = all[k];
        absent = all[6 - i - j - k];
        test("enter data", enter_all, exit_all);
        test("region", region, no_exit);
      }
  return finish();
}
