// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that open, use and close libraries at the same time as others compute.

// RUN: %clang -shared -fPIC -DNAME=one -DSTART=100 %inputs/library.c -o %t.one.so
// RUN: %clang -shared -fPIC -DNAME=two -DSTART=200 %inputs/library.c -o %t.two.so
// RUN: %clang %s -o %t -ldl
// RUN: %run %t %t.one.so %t.two.so
// UNSUPPORTED: runtime-llvm

#include "check.h"

#include <dlfcn.h>

static int open_use_close(const char *path, const char *count_name, int wanted) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  int (*count)(int, int) = (int (*)(int, int))dlsym(library, count_name);
  int wrong = count(1, 1) != wanted + 1;
  dlclose(library);
  return wrong;
}

int main(int argc, char **argv) {
  int wrong = 0;
#pragma omp parallel num_threads(4) reduction(+ : wrong)
  for (int round = 0; round < 50; round++) {
    int x = round, thread = omp_get_thread_num();
    if (thread == 0)
      wrong += open_use_close(argv[1], "one_count", 100);
    else if (thread == 1)
      wrong += open_use_close(argv[2], "two_count", 200);
    else {
#pragma omp target map(tofrom : x)
      {
        HERE();
        x++;
      }
      wrong += x != round + 1;
    }
  }
  CHECK_EQ(wrong, 0);
  return finish();
}
