// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Destructors of global objects close, open and use libraries with regions while the process ends. A library at the
// address of a closed one has its own kernels and variables, and the program's regions go on.

// RUN: %clang -shared -fPIC %inputs/library.c -o %t.lib.so
// RUN: %clang -shared -fPIC -DNAME=lib -DSTART=500 %inputs/library.c -o %t.other.so
// RUN: %clangxx %s -o %t -ldl
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t %t.lib.so %t.other.so
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t %t.lib.so %t.other.so used
// UNSUPPORTED: runtime-llvm

#include "check.h"

#include <dlfcn.h>
#include <unistd.h>

typedef int (*Compute)(int);

static const char *paths[2];
static const int starts[2] = {100, 500};

static int twice(int x) {
  int result = -1;
#pragma omp target map(from : result)
  result = 2 * x;
  return result;
}

struct Library {
  void *handle = nullptr;
  int number = 0;
  void open(int which) {
    number = which;
    handle = dlopen(paths[which], RTLD_NOW | RTLD_LOCAL);
    CHECK(handle != nullptr);
  }
  void use() const {
    const Compute compute = handle ? (Compute)dlsym(handle, "lib_compute") : nullptr;
    CHECK(compute != nullptr);
    if (compute)
      CHECK_EQ(compute(4), starts[number] + 8);
  }
  void close() {
    CHECK_EQ(dlclose(handle), 0);
    handle = nullptr;
  }
};

/// Made first, so that it goes last.
static struct Last {
  ~Last() {
    CHECK_EQ(twice(21), 42);
    for (int round = 0; round < 6; round++) {
      Library library;
      library.open(round % 2);
      library.use();
      library.close();
    }
    CHECK_EQ(twice(4), 8);
    if (finish())
      _exit(1);
  }
} last;

/// Used while main runs, or not, and closed by a destructor.
static struct Held : Library {
  bool is_used = false;
  ~Held() {
    if (!handle)
      return;
    if (is_used)
      use();
    close();
    CHECK(dlopen(paths[number], RTLD_LAZY | RTLD_NOLOAD) == nullptr);
  }
} held;

int main(int argc, char **argv) {
  paths[0] = argv[1];
  paths[1] = argv[2];
  held.is_used = argc > 3;
  if (held.is_used)
    CHECK_EQ(twice(1), 2);
  held.open(0);
  if (held.is_used)
    held.use();
  return 0;
}
