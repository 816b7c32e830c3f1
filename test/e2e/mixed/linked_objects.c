// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects by one clang in a program that a newer one links: a library of objects from long ago. Their device code
// shares one image, whose kernels take their arguments in different forms.

// RUN: %clang-16 -c -DPART=part %s -o %t.16.o
// RUN: %clang-19 %s %t.16.o -o %t.by19
// RUN: %run %t.by19
// UNSUPPORTED: runtime-llvm-mixed

#include "check.h"

#ifdef PART
int PART(int x, int y) {
  int result = 0, on_host = 1;
#pragma omp target map(from : result) map(from : on_host) firstprivate(x, y)
  {
    on_host = omp_is_initial_device();
    result = 100 * x + y;
  }
  return on_host ? -1 : result;
}
#else
int part(int x, int y);

int main(void) {
  int a = 0, b = 5;
#pragma omp target map(tofrom : a) firstprivate(b)
  {
    HERE();
    a += b;
  }
  CHECK_EQ(a, 5);
  CHECK_EQ(part(7, 3), 703);
  return finish();
}
#endif
