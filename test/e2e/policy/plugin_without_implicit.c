// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plugins of LLVM 18 give every kernel a leading parameter; images of a clang that does not know it are refused.

// RUN: %clang %s -o %t
// RUN: %expect-abort %t 2>&1 | %check
// REQUIRES: plugins-of-llvm-18
// REQUIRES: clang-14 || clang-15 || clang-16

// CHECK: cannot load an image of {{[0-9]+}} bytes on its device 0: the image was made by a clang before 18, and plugins of LLVM
// CHECK-SAME: 18 give every kernel a leading parameter that kernels of those do not have

#include "check.h"

int main(void) {
#pragma omp target
  HERE();
  return finish();
}
