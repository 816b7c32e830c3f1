// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that has a variable with declare target is opened between regions, and closed. Other memory that lies in
// its place afterwards is mapped as usual.
// RUN: %gcc -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %gcc %s -o %t
// RUN: %run %t %t.so
#include "check.h"

#ifdef LIBRARY
#pragma omp declare target
int numbers[4096];
#pragma omp end declare target

int *use(void) {
#pragma omp target map(tofrom : numbers[0 : 4])
  numbers[0] += 1;
#pragma omp target update from(numbers)
  return numbers;
}
#else
#include <dlfcn.h>
#include <stdint.h>
#include <sys/mman.h>

/// The same construct sees the library's variable, and what is there later.
static int plus_one(int *at) {
#pragma omp target map(to : at[0 : 4])
  at[0] += 1;
  return at[0];
}

int main(int argc, char **argv) {
  int own = 1;
  CHECK_EQ(plus_one(&own), 1);
  for (int i = 0; i < 2 && argc > 1; ++i) {
    void *const library = dlopen(argv[1], RTLD_NOW);
    int *(*const use)(void) = (int *(*)(void))dlsym(library, "use");
    int *const numbers = use();
    CHECK_EQ(numbers[0], 1);
    CHECK_EQ(plus_one(numbers), 2);
    dlclose(library);
    int *const page = (int *)(((uintptr_t)numbers + 4095) & ~(uintptr_t)4095);
    void *const memory = mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory == page);
    page[0] = 7;
    CHECK_EQ(plus_one(page), 7);
    munmap(memory, 4096);
  }
  return finish();
}
#endif
