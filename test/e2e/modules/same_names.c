// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two libraries with the same names in them, opened RTLD_LOCAL: each finds its own globals and functions.

// RUN: %clang -shared -fPIC %inputs/library.c -o %t.lib.so
// RUN: %clang -shared -fPIC -DNAME=lib -DSTART=500 %inputs/library.c -o %t.other.so
// RUN: %clang %s -o %t -ldl
// RUN: %run %t %t.lib.so %t.other.so
// RUN: %run %t %t.other.so %t.lib.so
// In LLVM's runtimes from 16 on all images share one space of names.
// UNSUPPORTED: runtime-llvm

#include "check.h"

#include <dlfcn.h>
#include <string.h>

int main(int argc, char **argv) {
  int first = strstr(argv[1], ".other.so") ? 500 : 100, second = 600 - first;
  void *a = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL), *b = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  CHECK(a && b);
  int (*count_a)(int, int) = (int (*)(int, int))dlsym(a, "lib_count");
  int (*count_b)(int, int) = (int (*)(int, int))dlsym(b, "lib_count");
  CHECK(count_a != count_b);
  CHECK_EQ(count_a(0, 1), first + 1);
  CHECK_EQ(count_b(0, 1), second + 1);
  CHECK_EQ(count_a(0, 1), first + 2);
  CHECK_EQ(count_b(3, 1), second + 1);
  CHECK_EQ(count_b(0, 1), second + 2);
  dlclose(a);
  CHECK_EQ(count_b(0, 1), second + 3);
  return finish();
}
