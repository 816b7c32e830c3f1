// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A struct with an attached pointer is copied to the device. The device's pointer keeps its value all the while: a
// kernel of another thread follows it meanwhile.

// RUN: %clang %s -o %t
// RUN: %run %t
// RUN: %run LIBOMPTARGET_INFO=63 %t 2> %t.info
// The runtimes of LLVM write the host's address for a moment.
// UNSUPPORTED: runtime-llvm
// A sanitizer has a memcpy of its own.
// UNSUPPORTED: sanitizer

#include "check.h"
#include "held_copy.h"

enum { N = 1024 };

static int pointee[N];
static struct {
  int before[N];
  int *p;
  int after[N];
} s = {{0}, pointee, {0}};

static void region(void) {
#pragma omp target map(always, to : s) map(tofrom : s.p[0 : N])
  {
    HERE();
    s.p[1] += 1;
  }
}
static void update(void) {
#pragma omp target update to(s)
}

static void follow(void) {
#pragma omp target map(to : s) map(tofrom : s.p[0 : N])
  {
    HERE();
    s.p[7] += 1;
  }
}

static void test(void (*copy)(void)) {
  int is_held = 0, first = 0, last = 0;
  pointee[1] = pointee[7] = 0;
#pragma omp target enter data map(to : s) map(to : s.p[0 : N])
  s.before[0] += 1;
  s.after[N - 1] += 1;
  hold_written_copy(0, NULL, s.after, sizeof s.after);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    copy();
  } else {
    is_held = is_copy_held(0, 20000);
    follow();
    let_copy_go_on(0);
  }
  CHECK(is_held);
#pragma omp target map(to : s) map(from : first, last)
  {
    first = s.before[0];
    last = s.after[N - 1];
  }
  CHECK_EQ(first, s.before[0]);
  CHECK_EQ(last, s.after[N - 1]);
#pragma omp target exit data map(from : s.p[0 : N]) map(release : s)
  CHECK_EQ(pointee[7], 1);
}

int main(void) {
  patience = 1000;
  test(update);
  CHECK_EQ(pointee[1], 0);
  test(region);
  CHECK_EQ(pointee[1], 1);
  return finish();
}
