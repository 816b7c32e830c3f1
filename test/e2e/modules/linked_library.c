// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program and the offloading shared library that it is linked with: each has kernels and globals of its own.

// RUN: %clang -shared -fPIC %inputs/library.c -o %t.lib.so
// RUN: %clang %s %t.lib.so -o %t
// RUN: %run %t

#include "check.h"

int lib_on_device(void), lib_count(int, int), lib_compute(int);
void lib_add(int *, int, int), lib_enter(int *, int), lib_leave(int *, int);
extern int lib_global;

#pragma omp declare target
int global = 1;
#pragma omp end declare target

int main(void) {
  int seen = 0, a[100];
  for (int i = 0; i < 100; i++)
    a[i] = i;
  CHECK(lib_on_device());
#pragma omp target map(from : seen)
  {
    HERE();
    seen = ++global;
  }
  CHECK_EQ(seen, 2);
  CHECK_EQ(lib_count(0, 5), 105);
  CHECK_EQ(lib_count(1, 5), 105);
  CHECK_EQ(lib_count(0, 5), 110);
  CHECK_EQ(lib_compute(3), 116);
  CHECK_EQ(lib_global, 100);

  // The library's region works on what the program has mapped, and the other way round.
#pragma omp target data map(tofrom : a)
  {
    lib_add(a, 100, 1000);
    CHECK_EQ(a[5], 5);
#pragma omp target map(tofrom : a)
    {
      HERE();
      a[5] *= 2;
    }
  }
  CHECK_EQ(a[5], 2010);
  lib_enter(a, 100);
#pragma omp target map(tofrom : a)
  {
    HERE();
    a[6] = -6;
  }
  CHECK_EQ(a[6], 1006);
  lib_leave(a, 100);
  CHECK_EQ(a[6], -6);
  CHECK_EQ(a[99], 1099);
  return finish();
}
