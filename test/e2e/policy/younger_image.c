// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plugins of LLVM 14 and 15 cannot load images of clang 22, and the message says why.

// RUN: %clang %s -o %t
// RUN: %expect-abort %t 2>&1 | %check
// REQUIRES: clang-22
// REQUIRES: plugins-of-llvm-14 || plugins-of-llvm-15

// CHECK: error: plugin x86_64 cannot load an image of {{[0-9]+}} bytes on its device 0: __tgt_rtl_load_binary returns null: plugins
// CHECK-SAME: of LLVM 14 and 15 look for the section omp_offloading_entries, which images of clang 20 and later do not have
// CHECK-NEXT: error: the image of {{.*}}younger_image.c.tmp could not be loaded on device 0

#include "check.h"

int main(void) {
#pragma omp target
  HERE();
  return finish();
}
