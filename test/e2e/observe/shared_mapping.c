// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two arguments of a construct lie in one mapping: each is reported with the count that it makes.

// REQUIRES: runtime-omptarget
// RUN: %clang %s -o %t
// RUN: %run LIBOMPTARGET_INFO=2 %t 2>&1 | %check
// CHECK: Size=400, DynRefCount=2 (incremented)
// CHECK: Size=40, DynRefCount=3 (incremented)

int main(void) {
  int a[100], *p = a, *q = a + 50;
#pragma omp target enter data map(alloc : a)
#pragma omp target enter data map(to : p[0 : 100], q[0 : 10])
#pragma omp target exit data map(delete : a)
  return 0;
}
