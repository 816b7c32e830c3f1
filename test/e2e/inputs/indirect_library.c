// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library with an indirect function of its own, and a target region that calls what it is given.

#include "indirect_check.h"

typedef int (*Function)(int);

static int theirs(int x) { return x + 50 + side(); }
OMPTARGET_INDIRECT(theirs)

Function library_function = theirs;

int library_call(Function function, int argument) {
  int result = 0;
#pragma omp target map(from : result) firstprivate(function, argument)
  result = OMPTARGET_TRANSLATE(function)(argument);
  return result;
}
