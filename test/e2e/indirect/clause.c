// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clause of clang 17 and later, with translation by hand under both names.

// RUN: %indirect-clang %s -o %t
// RUN: %run %t
// REQUIRES: runtime-omptarget, clang-19-or-later

#include "indirect_check.h"

void *__llvm_omp_indirect_call_lookup(void *);
void *__kmpc_target_translate_fptr(void *);

typedef int (*Function)(int);

#pragma omp begin declare target indirect
int twice(int x) { return 2 * x + side(); }
int thrice(int x) { return 3 * x + side(); }
#pragma omp end declare target

int main(void) {
  Function functions[2] = {twice, thrice};
  int results[3] = {0};
#pragma omp target map(to : functions) map(from : results)
  {
    HERE();
    results[0] = ((Function)__llvm_omp_indirect_call_lookup((void *)functions[0]))(10);
    results[1] = ((Function)__kmpc_target_translate_fptr((void *)functions[1]))(10);
    results[2] = OMPTARGET_TRANSLATE(functions[1])(20);
  }
  CHECK_EQ(results[0], 20 + ON_DEVICE);
  CHECK_EQ(results[1], 30 + ON_DEVICE);
  CHECK_EQ(results[2], 60 + ON_DEVICE);
  CHECK(__llvm_omp_indirect_call_lookup((void *)twice) == (void *)twice);
  CHECK(__kmpc_target_translate_fptr((void *)twice) == (void *)twice);
  return finish();
}
