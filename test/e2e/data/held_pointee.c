// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A struct is still being copied to the device. Another thread maps what its pointer leads to, and waits for other
// data, too. A third thread uses both as soon as they are there: the pointer must be attached by then.

// RUN: %clang %s -o %t
// RUN: %run %t
// RUN: %run LIBOMPTARGET_INFO=63 %t 2> %t.info
// LLVM 22's runtime loses the result.
// UNSUPPORTED: runtime-llvm
// A sanitizer has a memcpy of its own.
// UNSUPPORTED: sanitizer

#include "check.h"
#include "held_copy.h"

enum { N = 1024 };

static int pointee[N];
static struct {
  int *p;
  int rest[N];
} s = {pointee, {0}};
static long other[N];

enum { OF_STRUCT, OF_OTHER, OF_POINTEE };

static atomic_int may_use, is_used;

static void map_pointee(void) {
#pragma omp target map(to : s) map(tofrom : s.p[0 : N]) map(tofrom : other)
  {
    HERE();
    other[0] += s.rest[0];
    s.p[1] += 1;
  }
}

static void use(void) {
#pragma omp target map(to : s) map(tofrom : s.p[0 : N])
  {
    HERE();
    s.p[7] += 1;
  }
}

static void lead(void) {
  CHECK(is_copy_held(OF_POINTEE, 20000));
  let_copy_go_on(OF_POINTEE);
  usleep(20000);
  atomic_store(&may_use, 1);
  usleep(20000);
  let_copy_go_on(OF_STRUCT);
  wait_for_flag(&is_used, 1, patience);
  let_copy_go_on(OF_OTHER);
}

int main(void) {
  patience = 1000;
  hold_copy(OF_STRUCT, NULL, &s, sizeof s);
  hold_copy(OF_OTHER, NULL, other, sizeof other);
  hold_written_copy(OF_POINTEE, NULL, pointee, sizeof pointee);
#pragma omp parallel num_threads(5)
  switch (omp_get_thread_num()) {
  case 0: {
#pragma omp target enter data map(to : s)
  } break;
  case 1: {
#pragma omp target enter data map(to : other)
  } break;
  case 2:
    is_copy_held(OF_STRUCT, 20000);
    is_copy_held(OF_OTHER, 20000);
    map_pointee();
    break;
  case 3:
    wait_for_flag(&may_use, 1, 20000);
    use();
    atomic_store(&is_used, 1);
    break;
  default: lead();
  }
#pragma omp target exit data map(release : s, other)
  CHECK_EQ(pointee[1], 1);
  CHECK_EQ(pointee[7], 1);
  return finish();
}
