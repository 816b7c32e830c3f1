// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lookup linked into the device image itself, which reads the table through __omp_offloading_fptr_map_p.

// RUN: %indirect-clang -shared -fPIC %inputs/indirect_library.c %indirect-library -o %t.lib.so
// RUN: %indirect-clang %s -o %t -ldl
// A GPU does it only if that is allowed (other_image.c).
// RUN: %run LIBOMPTARGET_CALLS_ACROSS_IMAGES=true %t %t.lib.so
// Images of clang 14 need it: they name no library, and do not find libomptarget.so if their module was opened for
// itself. Clang 15 and 16 link no library into images for the host device.
// REQUIRES: runtime-omptarget, clang-14 || clang-19-or-later

#include "indirect_check.h"

#include <dlfcn.h>

typedef int (*Function)(int);

static int own(int x) { return x + 1 + side(); }
OMPTARGET_INDIRECT(own)

int main(int argc, char **argv) {
  void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    printf("%s\n", dlerror());
    return 1;
  }
  int (*library_call)(Function, int) = (int (*)(Function, int))dlsym(library, "library_call");
  Function theirs = *(Function *)dlsym(library, "library_function");
  CHECK_EQ(library_call(theirs, 2), 52 + ON_DEVICE);
  int result = 0;
#pragma omp target map(from : result)
  result = 1;
  CHECK_EQ(library_call(own, 1), 2 + ON_DEVICE);
  CHECK_EQ(library_call(theirs, 2), 52 + ON_DEVICE);
  return finish();
}
