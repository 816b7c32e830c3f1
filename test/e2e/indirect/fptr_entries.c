// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries of the form that the RFC defines (OMP_DECLARE_TARGET_FPTR, size 0), which no clang emits: made by hand. The
// device's own entry has the address, there is no variable.

// RUN: %indirect-clang %s -o %t
// RUN: %run %t
// REQUIRES: runtime-omptarget
// This plugin looks at dynamic symbols only.
// UNSUPPORTED: plugins-of-first-abi

#include "indirect_check.h"

static int twice(int x) { return 2 * x + side(); }
static int thrice(int x) { return 3 * x + side(); }

#if __clang_major__ >= 20
#define ENTRY(function)                                                                                                \
  {.version = 1, .kind = 1, .flags = OMPTARGET_ENTRY_INDIRECT, .address = (void *)function, .symbol_name = #function}
#else
#define ENTRY(function) {.addr = (void *)function, .name = #function, .flags = OMPTARGET_ENTRY_INDIRECT}
#endif
#define ENTRIES                                                                                                        \
  static OMPTARGET_INDIRECT_ENTRY_TYPE entry_twice                                                                     \
      __attribute__((used, section(OMPTARGET_INDIRECT_ENTRY_SECTION))) = ENTRY(twice);                                 \
  static OMPTARGET_INDIRECT_ENTRY_TYPE entry_thrice                                                                    \
      __attribute__((used, section(OMPTARGET_INDIRECT_ENTRY_SECTION))) = ENTRY(thrice);

OMPTARGET_INDIRECT_DEVICE_ONLY
ENTRIES
OMPTARGET_INDIRECT_DEVICE_END
OMPTARGET_INDIRECT_HOST_ONLY
ENTRIES
OMPTARGET_INDIRECT_HOST_END

typedef int (*Function)(int);

int main(void) {
  Function functions[2] = {twice, thrice};
  int results[2] = {0};
#pragma omp target map(to : functions) map(from : results)
  {
    HERE();
    for (int i = 0; i < 2; i++)
      results[i] = OMPTARGET_TRANSLATE(functions[i])(10);
  }
  CHECK_EQ(results[0], 20 + ON_DEVICE);
  CHECK_EQ(results[1], 30 + ON_DEVICE);
  return finish();
}
