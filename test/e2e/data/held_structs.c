// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A struct with an attached pointer is copied back. The host's pointer keeps its value all the while: another thread,
// which maps what the pointer points to, reads it meanwhile.

// RUN: %clang %s -o %t
// RUN: %run %t
// RUN: %run LIBOMPTARGET_INFO=63 %t 2> %t.info
// The runtimes of LLVM show the address of the device for a moment.
// UNSUPPORTED: runtime-llvm
// A sanitizer has a memcpy of its own.
// UNSUPPORTED: sanitizer

#include "check.h"
#include "held_copy.h"

#define N 512

static long a[N];
static struct {
  long x[N];
  long *p;
  long y[N];
} s;

static void copies_back(void) {
#pragma omp target map(always, from : s) map(tofrom : s.p[0 : N])
  {
    HERE();
    s.x[0] += 1;
    s.p[0] += 1;
  }
}
static void uses_pointer(void) {
  CHECK(s.p == a);
#pragma omp target map(tofrom : s, s.p[0 : N])
  {
    HERE();
    s.x[N - 1] += 1;
    s.p[N - 1] += 1;
  }
}

static void test(int is_written) {
  int is_held = 0;
  for (int i = 0; i < N; i++)
    a[i] = s.x[i] = s.y[i] = 0;
  s.p = a;
#pragma omp target enter data map(to : s)
#pragma omp target enter data map(to : s.p[0 : N])
  if (is_written)
    hold_written_copy(0, s.x, NULL, sizeof s.x);
  else
    hold_copy(0, s.x, NULL, sizeof s.x);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    copies_back();
  } else {
    is_held = is_copy_held(0, 20000);
    uses_pointer();
    let_copy_go_on(0);
  }
  atomic_store(&held_copies[0].state, COPY_UNKNOWN);
  CHECK(is_held);
  CHECK(s.p == a);
#pragma omp target exit data map(from : s.p[0 : N])
#pragma omp target exit data map(from : s)
  CHECK(s.p == a);
  CHECK_EQ(s.x[N - 1], 1);
  CHECK_EQ(a[N - 1], 1);
}

int main(void) {
  test(0);
  test(1);
  CHECK(!omp_target_is_present(&s, omp_get_default_device()));
  CHECK(!omp_target_is_present(a, omp_get_default_device()));
  return finish();
}
