// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that opens a library with kernels and variables of its own, closes it and opens it again. Kernels of both
// run, and the library's variables begin anew. Data that one has mapped are the other's, too.

#include "check.h"

#include <dlfcn.h>

#pragma omp declare target
static int calls = 100;
#pragma omp end declare target

enum { N = 1000 };

static void use(void *library, int round) {
  int (*count_calls)(void) = (int (*)(void))dlsym(library, "count_calls");
  void (*add)(int *, int, int) = (void (*)(int *, int, int))dlsym(library, "add");
  int data[N], own = 0;
  for (int i = 0; i < N; i++)
    data[i] = i;
  CHECK_EQ(count_calls(), 1);
  CHECK_EQ(count_calls(), 2);
#pragma omp target data map(tofrom : data)
  {
    add(data, N, 7);
    CHECK_EQ(data[3], 3);
#pragma omp target teams distribute parallel for
    for (int i = 0; i < N; i++) {
      HERE();
      data[i] *= 2;
    }
  }
  for (int i = 0; i < N; i++)
    CHECK_EQ(data[i], 2 * (i + 7));
#pragma omp target map(from : own)
  own = ++calls;
  CHECK_EQ(own, 101 + round);
}

int main(int argc, char **argv) {
  char path[4096];
  (void)argc;
  snprintf(path, sizeof path, "%s.so", argv[0]);
  for (int round = 0; round < 3; round++) {
    void *library = dlopen(path, RTLD_NOW);
    if (!library) {
      printf("%s\n", dlerror());
      return 1;
    }
    use(library, round);
    CHECK_EQ(dlclose(library), 0);
  }
  return finish();
}
