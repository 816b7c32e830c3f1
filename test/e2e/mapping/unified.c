// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unified shared memory: data stay where they are, except those that are to be close; globals are the host's.

// RUN: %clang -fopenmp-version=51 %s -o %t
// RUN: %run %t
// UNSUPPORTED: runtime-llvm

#include "check.h"

#pragma omp requires unified_shared_memory, dynamic_allocators

#pragma omp begin declare target
static int global = 5;
static int table[4] = {1, 2, 3, 4};
#pragma omp end declare target

int main(void) {
  int a[4] = {1, 2, 3, 4}, b[4] = {1, 2, 3, 4}, *p = malloc(sizeof(int));
  struct {
    int *p;
  } s = {p};
  *p = 9;
  a[0] = 10;
#pragma omp target data map(to : a)
  {
    a[1] = 20; // seen on the device
#pragma omp target map(from : a)
    {
      HERE();
      a[2] = a[1] + *s.p + global + table[3];
      global = 6;
      table[0] = 60;
    }
    CHECK_EQ(a[2], 38);
    CHECK(!omp_target_is_present(a, 0)); // it is used where it is: nothing corresponds to it
  }
  CHECK_EQ(global, 6);
  CHECK_EQ(table[0], 60);
#pragma omp target enter data map(close, to : b)
  CHECK(omp_target_is_present(b, 0));
  b[1] = 20; // not seen
  int seen = 0;
#pragma omp target map(from : seen)
  {
    HERE();
    seen = b[1];
    b[2] = 30;
  }
  CHECK_EQ(seen, 2);
  CHECK_EQ(b[2], 3);
#pragma omp target exit data map(from : b)
  CHECK_EQ(b[1], 2);
  CHECK_EQ(b[2], 30);
#pragma omp target map(present, to : a)
  HERE();
  free(p);
  return finish();
}
