// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function with a region, for tests of several files.

int plain_region(int x) {
#pragma omp target map(tofrom : x)
  x += 1;
  return x;
}
