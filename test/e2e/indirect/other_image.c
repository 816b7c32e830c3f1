// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executable and shared library both have an image. On a GPU each image's code calls its own functions, and its own
// copy of those that both have. A function that only the other one has stops the kernel, and the message names it, its
// image and the caller's. On a CPU the images have one table, and call one another's functions.

// RUN: %indirect-clang -DLIBRARY -shared -fPIC %s -o %t.lib.so
// RUN: %indirect-clang -rdynamic %s -o %t -ldl
// RUN: %indirect-clang -rdynamic -DLINKED %s %t.lib.so -o %t.linked
// RUN: %if executor %{ %run %t %t.lib.so own 2>&1 | %check --check-prefix=OWN %}
// RUN: %if executor %{ %run %t.linked %t.lib.so own 2>&1 | %check --check-prefix=OWN %}
// RUN: %if executor %{ %expect-abort %t %t.lib.so library-function 2>&1 | %check --check-prefix=LIBRARY %}
// RUN: %if executor %{ %expect-abort %t.linked %t.lib.so library-function 2>&1 | %check --check-prefix=LIBRARY %}
// RUN: %if executor %{ %expect-abort %t %t.lib.so rfc-function 2>&1 | %check --check-prefix=RFC %}
// RUN: %if executor %{ %expect-abort %t %t.lib.so executable-function 2>&1 | %check --check-prefix=EXECUTABLE %}
// RUN: %if !executor %{ %run %t %t.lib.so merged library-function rfc-function executable-function %}
// RUN: %if executor && emulator-amdgpu %{ %run LIBOMPTARGET_CALLS_ACROSS_IMAGES=true %t %t.lib.so library-function rfc-function executable-function merged %}
// REQUIRES: runtime-omptarget

// OWN-NOT: omptarget
// OWN: ok
// LIBRARY: call{{.*}} failed on device 0: theirs is in the image of other_image.c.tmp.lib.so, called from other_image.c.tmp{{.*}}: device code calls functions of its own image only (LIBOMPTARGET_CALLS_ACROSS_IMAGES
// RFC: call{{.*}} failed on device 0: by_rfc is in the image of other_image.c.tmp.lib.so, called from other_image.c.tmp:
// EXECUTABLE: library_call{{.*}} failed on device 0: ours is in the image of other_image.c.tmp, called from other_image.c.tmp.lib.so:

#include "indirect_check.h"

#include <dlfcn.h>
#include <string.h>

typedef int (*Function)(int);
#ifdef LIBRARY
enum { IMAGE = 20000 };
#else
enum { IMAGE = 10000 };
#endif

// One host function, as the executable's comes before the library's, and a device function in each image.
__attribute__((visibility("default"))) int shared(int x) { return x + IMAGE + side(); }
OMPTARGET_INDIRECT(shared)
__attribute__((visibility("default"))) int shared_by_rfc(int x) { return x + 1 + IMAGE + side(); }
RFC_INDIRECT(shared_by_rfc)

#ifdef LIBRARY
static int theirs(int x) { return x + 50 + IMAGE + side(); }
OMPTARGET_INDIRECT(theirs)
static int by_rfc(int x) { return x + 60 + IMAGE + side(); }
RFC_INDIRECT(by_rfc)

Function library_functions[2] = {theirs, by_rfc};

int library_call(Function *functions, int which) {
  int result = 0;
#pragma omp target map(to : functions[which : 1]) map(from : result)
  result = OMPTARGET_TRANSLATE(functions[which])(1);
  return result;
}

// A pointer that is captured is translated when the kernel is launched.
int library_call_captured(Function captured) {
  int result = 0;
#pragma omp target map(from : result)
  result = captured(1);
  return result;
}
#else
#ifdef LINKED
extern Function library_functions[2];
int library_call(Function *functions, int which);
int library_call_captured(Function captured);
#else
static Function *library_functions;
static int (*library_call)(Function *functions, int which);
static int (*library_call_captured)(Function captured);
#endif

static int ours(int x) { return x + 10 + IMAGE + side(); }
OMPTARGET_INDIRECT(ours)

static int call(Function *functions, int which) {
  int result = 0;
#pragma omp target map(to : functions[which : 1]) map(from : result)
  {
    HERE();
    result = OMPTARGET_TRANSLATE(functions[which])(1);
  }
  return result;
}

// Checks that the caller's copy of a function of both is called, in both protocols.
static void call_own(void) {
  Function functions[] = {ours, shared, shared_by_rfc};
  CHECK_EQ(call(functions, 0), 11 + IMAGE + ON_DEVICE);
  CHECK_EQ(call(functions, 1), 1 + IMAGE + ON_DEVICE);
  CHECK_EQ(call(functions, 2), 2 + IMAGE + ON_DEVICE);
  CHECK_EQ(library_call(library_functions, 0), 51 + 20000 + ON_DEVICE);
  CHECK_EQ(library_call(library_functions, 1), 61 + 20000 + ON_DEVICE);
  CHECK_EQ(library_call(functions, 1), 1 + 20000 + ON_DEVICE);
  CHECK_EQ(library_call(functions, 2), 2 + 20000 + ON_DEVICE);
  CHECK_EQ(library_call_captured(shared), 1 + 20000 + ON_DEVICE);
  CHECK_EQ(library_call_captured(library_functions[0]), 51 + 20000 + ON_DEVICE);
}

// Checks that the copy of the image that was loaded first is.
static void call_first(void) {
  Function functions[] = {shared, shared_by_rfc};
  CHECK_EQ(call(functions, 0), 1 + IMAGE + ON_DEVICE);
  CHECK_EQ(library_call(functions, 0), 1 + IMAGE + ON_DEVICE);
  CHECK_EQ(library_call(functions, 1), 2 + IMAGE + ON_DEVICE);
  CHECK_EQ(library_call_captured(shared), 1 + IMAGE + ON_DEVICE);
}

int main(int argc, char **argv) {
#ifndef LINKED
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) {
    printf("%s\n", dlerror());
    return 1;
  }
  library_functions = (Function *)dlsym(library, "library_functions");
  library_call = (int (*)(Function *, int))dlsym(library, "library_call");
  library_call_captured = (int (*)(Function))dlsym(library, "library_call_captured");
#endif
  Function functions[] = {ours};
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "own") == 0)
      call_own();
    else if (strcmp(argv[i], "merged") == 0)
      call_first();
    else if (strcmp(argv[i], "library-function") == 0)
      CHECK_EQ(call(library_functions, 0), 51 + 20000 + ON_DEVICE);
    else if (strcmp(argv[i], "rfc-function") == 0)
      CHECK_EQ(call(library_functions, 1), 61 + 20000 + ON_DEVICE);
    else
      CHECK_EQ(library_call(functions, 0), 11 + IMAGE + ON_DEVICE);
  }
  return finish();
}
#endif
