// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Deleting a member of a struct takes all references of the mapping that it lies in, whatever the compiler passes for
// the struct.

// LLVM 14's library keeps the struct.
// XFAIL: runtime-llvm-14
// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

struct S {
  int n, *p, x[4], m;
};

static int is_there(void *p) { return omp_target_is_present(p, omp_get_default_device()); }

int main(void) {
  struct S s = {0};
  int a[4] = {0};
  s.p = a;
#pragma omp target enter data map(to : s)
#pragma omp target enter data map(to : s)
#pragma omp target exit data map(delete : s.x[0 : 2])
  CHECK(!is_there(&s));
#pragma omp target enter data map(to : s)
#pragma omp target enter data map(to : s)
#pragma omp target exit data map(always, delete : s.x)
  CHECK(!is_there(&s));
#pragma omp target enter data map(to : s)
#pragma omp target enter data map(to : s)
#pragma omp target exit data map(delete : s.n, s.m)
  CHECK(!is_there(&s));
#pragma omp target enter data map(to : s) map(to : s.p[0 : 4])
#pragma omp target enter data map(to : s) map(to : s.p[0 : 4])
#pragma omp target exit data map(delete : s.p[0 : 4])
  CHECK(is_there(&s) && !is_there(a)); // a pointee is not a member
#pragma omp target exit data map(delete : s)
  CHECK(!is_there(&s));
  return finish();
}
