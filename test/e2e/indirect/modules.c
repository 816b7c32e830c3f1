// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of a shared library join the table of each device when it is opened and leave it when it is closed.
// Pointers go both ways between executable and library.

// RUN: %indirect-clang -shared -fPIC %inputs/indirect_library.c -o %t.lib.so
// RUN: %indirect-clang %s -o %t -ldl
// A GPU does it only if that is allowed (other_image.c).
// RUN: %run LIBOMPTARGET_CALLS_ACROSS_IMAGES=true %t %t.lib.so
// RUN: %run LIBOMPTARGET_CALLS_ACROSS_IMAGES=true LIBOMPTARGET_DEBUG=indirect %t %t.lib.so 2>&1 | %check
// REQUIRES: runtime-omptarget

// CHECK: table of 1 indirect functions
// CHECK: table of 2 indirect functions
// CHECK: table of 1 indirect functions
// CHECK: table of 2 indirect functions

#include "indirect_check.h"

#include <dlfcn.h>

typedef int (*Function)(int);

static int own(int x) { return x + 1 + side(); }
OMPTARGET_INDIRECT(own)

static int call(Function function, int argument) {
  int result = 0;
#pragma omp target map(from : result) firstprivate(function, argument)
  {
    HERE();
    result = OMPTARGET_TRANSLATE(function)(argument);
  }
  return result;
}

// As a number, since a pointer may arrive translated.
static int is_translated(Function function) {
  unsigned long address = (unsigned long)function;
  int result = 0;
#pragma omp target map(from : result) firstprivate(address)
  result = omptarget_translate_pointer((void *)address) != (void *)address;
  return result;
}

int main(int argc, char **argv) {
  CHECK_EQ(call(own, 1), 2 + ON_DEVICE);
  for (int round = 0; round < 2; round++) {
    void *library = dlopen(argv[argc - 1], RTLD_NOW);
    if (!library) {
      printf("%s\n", dlerror());
      return 1;
    }
    Function theirs = *(Function *)dlsym(library, "library_function");
    int (*library_call)(Function, int) = (int (*)(Function, int))dlsym(library, "library_call");
    CHECK_EQ(call(theirs, 1), 51 + ON_DEVICE);
    CHECK_EQ(library_call(own, 1), 2 + ON_DEVICE);
    CHECK_EQ(library_call(theirs, 2), 52 + ON_DEVICE);
    CHECK_EQ(call(own, 1), 2 + ON_DEVICE);
    dlclose(library);
    CHECK(!is_translated(theirs));
    CHECK(is_translated(own));
  }
  return finish();
}
