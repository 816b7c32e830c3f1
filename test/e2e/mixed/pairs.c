// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program by one clang and a shared library by another, in every pairing: shared data, each its own globals.

// RUN: %clang-14 -shared -fPIC %inputs/library.c -o %t.14.so
// RUN: %clang-15 -shared -fPIC %inputs/library.c -o %t.15.so
// RUN: %clang-16 -shared -fPIC %inputs/library.c -o %t.16.so
// RUN: %clang-19 -shared -fPIC %inputs/library.c -o %t.19.so
// RUN: %clang-22 -shared -fPIC %inputs/library.c -o %t.22.so
// RUN: %clang-14 %s -o %t.by14 -ldl
// RUN: %clang-15 %s -o %t.by15 -ldl
// RUN: %clang-16 %s -o %t.by16 -ldl
// RUN: %clang-19 %s -o %t.by19 -ldl
// RUN: %clang-22 %s -o %t.by22 -ldl
// RUN: %run %t.by14 %t.14.so && %run %t.by14 %t.15.so && %run %t.by14 %t.16.so && %run %t.by14 %t.19.so
// RUN: %run %t.by14 %t.22.so && %run %t.by15 %t.14.so && %run %t.by15 %t.15.so && %run %t.by15 %t.16.so
// RUN: %run %t.by15 %t.19.so && %run %t.by15 %t.22.so && %run %t.by16 %t.14.so && %run %t.by16 %t.15.so
// RUN: %run %t.by16 %t.16.so && %run %t.by16 %t.19.so && %run %t.by16 %t.22.so && %run %t.by19 %t.14.so
// RUN: %run %t.by19 %t.15.so && %run %t.by19 %t.16.so && %run %t.by19 %t.19.so && %run %t.by19 %t.22.so
// RUN: %run %t.by22 %t.14.so && %run %t.by22 %t.15.so && %run %t.by22 %t.16.so && %run %t.by22 %t.19.so
// RUN: %run %t.by22 %t.22.so
// UNSUPPORTED: runtime-llvm-mixed

#include "check.h"

#include <dlfcn.h>

#pragma omp declare target
int lib_global = 7; // also the name of the library's
#pragma omp end declare target

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library)
    printf("%s\n", dlerror());
  CHECK(library != 0);
  int (*on_device)(void) = (int (*)(void))dlsym(library, "lib_on_device");
  int (*compute)(int) = (int (*)(int))dlsym(library, "lib_compute");
  void (*add)(int *, int, int) = (void (*)(int *, int, int))dlsym(library, "lib_add");
  void (*enter)(int *, int) = (void (*)(int *, int))dlsym(library, "lib_enter");
  void (*leave)(int *, int) = (void (*)(int *, int))dlsym(library, "lib_leave");
  CHECK(on_device());
  CHECK_EQ(compute(2), 104);

  int a[50], seen = 0;
  for (int i = 0; i < 50; i++)
    a[i] = i;
#pragma omp target data map(tofrom : a)
  {
    add(a, 50, 100);
    CHECK_EQ(a[1], 1);
#pragma omp target map(tofrom : a) map(from : seen)
    {
      HERE();
      for (int i = 0; i < 50; i++)
        a[i] *= 2;
      seen = lib_global++;
    }
  }
  CHECK_EQ(a[1], 202);
  CHECK_EQ(seen, 7);
  CHECK_EQ(compute(2), 104);
  enter(a, 50);
#pragma omp target map(tofrom : a)
  {
    HERE();
    a[2] = -2;
  }
  CHECK_EQ(a[2], 204);
  leave(a, 50);
  CHECK_EQ(a[2], -2);
  dlclose(library);
#pragma omp target map(from : seen)
  {
    HERE();
    seen = lib_global;
  }
  CHECK_EQ(seen, 8);
  return finish();
}
