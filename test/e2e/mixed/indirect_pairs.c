// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An executable by one clang, and libraries by all. Pointers of each are called by each, after one table was merged
// from entries of both layouts.

// RUN: %indirect-clang-14 -shared -fPIC %inputs/indirect_library.c -o %t.14.so
// RUN: %indirect-clang-15 -shared -fPIC %inputs/indirect_library.c -o %t.15.so
// RUN: %indirect-clang-16 -shared -fPIC %inputs/indirect_library.c -o %t.16.so
// RUN: %indirect-clang-19 -shared -fPIC %inputs/indirect_library.c -o %t.19.so
// RUN: %indirect-clang-22 -shared -fPIC %inputs/indirect_library.c -o %t.22.so
// RUN: %indirect-clang-14 %s -o %t.by14 -ldl
// RUN: %indirect-clang-15 %s -o %t.by15 -ldl
// RUN: %indirect-clang-16 %s -o %t.by16 -ldl
// RUN: %indirect-clang-19 %s -o %t.by19 -ldl
// RUN: %indirect-clang-22 %s -o %t.by22 -ldl
// RUN: %run %t.by14 %t.14.so %t.15.so %t.16.so %t.19.so %t.22.so
// RUN: %run %t.by15 %t.14.so %t.15.so %t.16.so %t.19.so %t.22.so
// RUN: %run %t.by16 %t.14.so %t.15.so %t.16.so %t.19.so %t.22.so
// RUN: %run %t.by19 %t.14.so %t.15.so %t.16.so %t.19.so %t.22.so
// RUN: %run %t.by22 %t.14.so %t.15.so %t.16.so %t.19.so %t.22.so
// UNSUPPORTED: runtime-llvm-mixed

#include "indirect_check.h"

#include <dlfcn.h>

typedef int (*Function)(int);

static int own(int x) { return x + 1 + side(); }
OMPTARGET_INDIRECT(own)

static int own_call(Function function, int argument) {
  int result = 0;
#pragma omp target map(from : result) firstprivate(function, argument)
  {
    HERE();
    result = OMPTARGET_TRANSLATE(function)(argument);
  }
  return result;
}

int main(int argc, char **argv) {
  Function functions[8] = {own};
  int (*calls[8])(Function, int) = {own_call};
  int modules = 1;
  for (int i = 1; i < argc; i++) {
    void *library = dlopen(argv[i], RTLD_NOW);
    if (!library) {
      printf("%s\n", dlerror());
      return 1;
    }
    functions[modules] = *(Function *)dlsym(library, "library_function");
    calls[modules] = (int (*)(Function, int))dlsym(library, "library_call");
    modules++;
    for (int function = 0; function < modules; function++)
      for (int call = 0; call < modules; call++)
        CHECK_EQ(calls[call](functions[function], 5), (function ? 55 : 6) + ON_DEVICE);
  }
  return finish();
}
