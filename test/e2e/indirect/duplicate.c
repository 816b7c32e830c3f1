// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two modules that differ about a function: one message, and the first one counts, where both have one table.

// RUN: %indirect-clang -shared -fPIC -DLIBRARY %s -o %t.lib.so
// RUN: %indirect-clang -rdynamic %s -o %t -ldl
// RUN: %run LIBOMPTARGET_CALLS_ACROSS_IMAGES=true %t %t.lib.so 2>&1 | %check
// REQUIRES: runtime-omptarget

// CHECK-COUNT-1: host function 0x{{[0-9a-f]+}} has two device functions
// CHECK-NOT: has two device functions
// CHECK: ok

#include "indirect_check.h"

#include <dlfcn.h>

typedef int (*Function)(int);

__attribute__((visibility("default"))) int shared_function(int x) { return x + 7 + side(); }
OMPTARGET_INDIRECT(shared_function)

#ifdef LIBRARY
int library_call(Function function, int argument) {
  int result = 0;
#pragma omp target map(from : result) firstprivate(function, argument)
  result = OMPTARGET_TRANSLATE(function)(argument);
  return result;
}
#else
static int call(Function function, int argument) {
  int result = 0;
#pragma omp target map(from : result) firstprivate(function, argument)
  result = OMPTARGET_TRANSLATE(function)(argument);
  return result;
}

int main(int argc, char **argv) {
  setvbuf(stdout, 0, _IONBF, 0);
  CHECK_EQ(call(shared_function, 1), 8 + ON_DEVICE);
  void *library = dlopen(argv[argc - 1], RTLD_NOW);
  if (!library) {
    printf("%s\n", dlerror());
    return 1;
  }
  int (*library_call)(Function, int) = (int (*)(Function, int))dlsym(library, "library_call");
  for (int round = 0; round < 3; round++) {
    CHECK_EQ(call(shared_function, 1), 8 + ON_DEVICE);
    CHECK_EQ(library_call(shared_function, 1), 8 + ON_DEVICE);
  }
  dlclose(library);
  CHECK_EQ(call(shared_function, 1), 8 + ON_DEVICE);
  return finish();
}
#endif
