// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The smallest program with an indirect call.

#include "omptarget/indirect.h"

static int twice(int x) { return 2 * x; }
OMPTARGET_INDIRECT(twice)

int main(void) {
  int (*function)(int) = twice;
  int result = 1;
#pragma omp target map(tofrom : result) firstprivate(function)
#ifdef PLAIN
  result = function(result);
#else
  result = OMPTARGET_TRANSLATE(function)(result);
#endif
  return result;
}
