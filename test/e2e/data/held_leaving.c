// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A construct leaves a struct and what its pointer points to, one before the other. Meanwhile another thread maps one
// of them anew alone, and then has a region that uses both. The pointer must lead to the pointee's new place.

// RUN: %clang %s -o %t
// RUN: %run %t
// RUN: %run LIBOMPTARGET_INFO=63 %t 2> %t.info
// LLVM 22's runtime loses results.
// UNSUPPORTED: runtime-llvm
// A sanitizer has a memcpy of its own.
// UNSUPPORTED: sanitizer

#include "check.h"
#include "held_copy.h"

enum { N = 1024 };

static int pointee[N];
static struct {
  int *p;
  int rest[2 * N];
} s = {pointee, {0}};
static atomic_int is_mapped, may_leave;

static void use(int i) {
#pragma omp target map(to : s) map(tofrom : s.p[0 : N])
  {
    HERE();
    s.p[i] += 1;
  }
}

// The pointee stays, since another construct copies it back; the struct goes, and comes anew.
static void test_struct(void) {
  atomic_store(&is_mapped, 0);
  atomic_store(&may_leave, 0);
#pragma omp parallel num_threads(3)
  switch (omp_get_thread_num()) {
  case 0: {
#pragma omp target data map(to : s) map(tofrom : s.p[0 : N])
    {
      atomic_store(&is_mapped, 1);
      wait_for_flag(&may_leave, 1, 20000);
    }
  } break;
  case 1: {
    wait_for_flag(&is_mapped, 1, 20000);
    hold_copy(0, pointee, NULL, sizeof pointee);
#pragma omp target map(to : s) map(always, tofrom : s.p[0 : N])
    {
      HERE();
      s.p[1] += 1;
    }
  } break;
  default: {
    wait_for_flag(&is_mapped, 1, 20000);
    is_copy_held(0, 20000);
    atomic_store(&may_leave, 1);
    usleep(50000);
#pragma omp target enter data map(to : s)
    use(7);
    let_copy_go_on(0);
  }
  }
#pragma omp target exit data map(release : s)
  CHECK_EQ(pointee[1], 1);
  CHECK_EQ(pointee[7], 1);
}

// The struct stays, since it is copied back; the pointee goes, and comes anew.
static void test_pointee(void) {
  int *const q = pointee;
  pointee[1] = pointee[7] = 0;
  hold_copy(1, s.rest, NULL, sizeof s.rest);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
#pragma omp target map(tofrom : s) map(tofrom : s.p[0 : N])
    {
      HERE();
      s.p[1] += 1;
      s.rest[0] += 1;
    }
  } else {
    is_copy_held(1, 20000);
    usleep(20000);
#pragma omp target enter data map(to : q[0 : N])
    use(7);
    let_copy_go_on(1);
#pragma omp target exit data map(from : q[0 : N])
  }
  CHECK_EQ(pointee[1], 1);
  CHECK_EQ(pointee[7], 1);
  CHECK_EQ(s.rest[0], 1);
}

int main(void) {
  patience = 500;
#pragma omp target
  HERE();
  test_struct();
  test_pointee();
  return finish();
}
