// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that is opened, closed and opened again: functions right, globals fresh each time, on every device.

// RUN: %clang -shared -fPIC %inputs/library.c -o %t.lib.so
// RUN: %clang -shared -fPIC -DNAME=lib -DSTART=500 %inputs/library.c -o %t.other.so
// RUN: %clang %s -o %t -ldl
// RUN: %run %t %t.lib.so %t.other.so local
// RUN: %run %t %t.lib.so %t.other.so global
// The runtimes of LLVM keep a removed image open, so that a new one may get its globals or functions.
// UNSUPPORTED: runtime-llvm

#include "check.h"

#include <dlfcn.h>
#include <string.h>

static void use(const char *path, int flags, int start) {
  void *library = dlopen(path, flags);
  if (!library)
    printf("%s\n", dlerror());
  CHECK(library != 0);
  int (*on_device)(void) = (int (*)(void))dlsym(library, "lib_on_device");
  int (*count)(int, int) = (int (*)(int, int))dlsym(library, "lib_count");
  int (*compute)(int) = (int (*)(int))dlsym(library, "lib_compute");
  void (*add)(int *, int, int) = (void (*)(int *, int, int))dlsym(library, "lib_add");
  CHECK(on_device());
  CHECK_EQ(compute(4), start + 8);
  for (int d = 0; d < 4; d++)
    CHECK_EQ(count(d, 1), start + 1);
  CHECK_EQ(count(2, 10), start + 11);
  CHECK_EQ(compute(4), start + 1 + 8);
  int a[3] = {1, 2, 3};
  add(a, 3, 7);
  CHECK_EQ(a[2], 10);
  CHECK_EQ(dlclose(library), 0);
}

int main(int argc, char **argv) {
  int flags = RTLD_NOW | (strcmp(argv[3], "local") == 0 ? RTLD_LOCAL : RTLD_GLOBAL), own = 3;
  for (int round = 0; round < 10; round++) {
    use(argv[1], flags, 100);
    use(argv[2], flags, 500);
    use(argv[2], flags, 500);
    // Both at once; with RTLD_GLOBAL for both, the dynamic linker would make one set of host symbols of the two.
    void *stays = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    use(argv[2], flags, 500);
    dlclose(stays);
#pragma omp target map(tofrom : own)
    {
      HERE();
      own++;
    }
  }
  CHECK_EQ(own, 13);
  return finish();
}
