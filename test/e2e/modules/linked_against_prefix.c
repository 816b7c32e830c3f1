// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program linked against omptarget itself, found at run time by the library path or by a path of its own.

// REQUIRES: runtime-omptarget
// An uninstrumented program cannot load a library with a sanitizer on its own.
// UNSUPPORTED: sanitizer && (clang-15 || clang-16)
// RUN: %clang -L%prefix/lib -Wl,-rpath,%prefix/lib:%ompfolder %s %prefix/lib/libomptarget.so -o %t
// RUN: env OMP_TARGET_OFFLOAD=MANDATORY %t
// RUN: %run %t

#include "check.h"

int main(void) {
  int x = 1;
#pragma omp target map(tofrom : x)
  {
    HERE();
    x++;
  }
  CHECK_EQ(x, 2);
  return finish();
}
