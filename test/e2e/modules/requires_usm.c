// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// requires unified_shared_memory in every file: the host's addresses are the device's.

// RUN: %clang %s -o %t
// RUN: %run %t
// The runtimes of LLVM 14 and 15 crash: they match entries by index, and the image has fewer.
// UNSUPPORTED: runtime-llvm-14, runtime-llvm-15

#pragma omp requires unified_shared_memory

#include "check.h"

#pragma omp declare target
int global = 5;
#pragma omp end declare target

int main(void) {
  int a[4] = {1, 2, 3, 4}, *p = malloc(sizeof *p), *seen = 0;
  *p = 6;
#pragma omp target map(from : seen)
  {
    HERE();
    seen = p;
    *p += 1;
  }
  CHECK(seen == p);
  CHECK_EQ(*p, 7);
#pragma omp target data map(tofrom : a)
  {
#pragma omp target map(to : a)
    {
      HERE();
      a[0] = 10;
      global++;
    }
    CHECK_EQ(a[0], 10); // no copy was made
  }
  CHECK_EQ(global, 6);
  free(p);
  return finish();
}
