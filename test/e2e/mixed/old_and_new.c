// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oldest and the newest clang in one process, and three that take kernels' arguments in three forms.

// RUN: %clang-14 -shared -fPIC -DNAME=by14 -DSTART=14 %inputs/library.c -o %t.14.so
// RUN: %clang-16 -shared -fPIC -DNAME=by16 -DSTART=16 %inputs/library.c -o %t.16.so
// RUN: %clang-18 -shared -fPIC -DNAME=by18 -DSTART=18 %inputs/library.c -o %t.18.so
// RUN: %clang-23 -shared -fPIC -DNAME=by23 -DSTART=23 %inputs/library.c -o %t.23.so
// RUN: %clang-23 %s -DFIRST=by14 -DSECOND=by23 %t.14.so %t.23.so -Wl,--allow-shlib-undefined -o %t.new
// RUN: %run %t.new 14 23
// RUN: %clang-14 %s -DFIRST=by23 -DSECOND=by14 %t.23.so %t.14.so -Wl,--allow-shlib-undefined -o %t.old
// RUN: %run %t.old 23 14
// RUN: %clang-18 %s -DFIRST=by16 -DSECOND=by23 %t.16.so %t.23.so -Wl,--allow-shlib-undefined -o %t.three
// RUN: %run %t.three 16 23
// RUN: %clang-23 %s -DFIRST=by18 -DSECOND=by16 %t.18.so %t.16.so -Wl,--allow-shlib-undefined -o %t.other
// RUN: %run %t.other 18 16
// REQUIRES: clang-18, clang-23
// UNSUPPORTED: runtime-llvm-mixed

#include "check.h"

#define JOIN(a, b) a##b
#define OF(name, what) JOIN(name, what)
#define DECLARE(name)                                                                                                 \
  int OF(name, _on_device)(void), OF(name, _count)(int, int), OF(name, _compute)(int);                                \
  void OF(name, _add)(int *, int, int);
DECLARE(FIRST)
DECLARE(SECOND)

int main(int argc, char **argv) {
  const int first = atoi(argv[1]), second = atoi(argv[2]);
  int a[100] = {0};
  CHECK(OF(FIRST, _on_device)() && OF(SECOND, _on_device)());
  CHECK_EQ(OF(FIRST, _count)(0, 1), first + 1);
  CHECK_EQ(OF(SECOND, _count)(3, 5), second + 5);
#pragma omp target data map(tofrom : a)
  {
    OF(FIRST, _add)(a, 100, first);
    OF(SECOND, _add)(a, 100, second);
    CHECK_EQ(a[50], 0);
#pragma omp target map(tofrom : a)
    {
      HERE();
      for (int i = 0; i < 100; i++)
        a[i] *= 2;
    }
  }
  for (int i = 0; i < 100; i++)
    CHECK_EQ(a[i], 2 * (first + second));
  return finish();
}
