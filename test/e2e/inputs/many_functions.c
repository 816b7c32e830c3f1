// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library with 64 indirect functions, so that a table of them takes a kilobyte.

#include "indirect_check.h"

typedef int (*Function)(int);

#define FUNCTION(n)                                                                                                    \
  static int function_##n(int x) { return x + n + side(); }                                                            \
  OMPTARGET_INDIRECT(function_##n)
#define EIGHT(do, n) do(n##0) do(n##1) do(n##2) do(n##3) do(n##4) do(n##5) do(n##6) do(n##7)
#define ALL(do)                                                                                                        \
  EIGHT(do, 10) EIGHT(do, 11) EIGHT(do, 12) EIGHT(do, 13) EIGHT(do, 14) EIGHT(do, 15) EIGHT(do, 16) EIGHT(do, 17)
ALL(FUNCTION)

#define NAME(n) function_##n,
static const Function functions[] = {ALL(NAME)};

/// The sum of four of the functions, each called through its pointer on the device.
int sum_of_some(int x) {
  int sum = 0;
  for (int i = 0; i < 64; i += 21) {
    Function function = functions[i];
    int result = 0;
#pragma omp target map(from : result) firstprivate(function, x)
    result = OMPTARGET_TRANSLATE(function)(x);
    sum += result;
  }
  return sum;
}
