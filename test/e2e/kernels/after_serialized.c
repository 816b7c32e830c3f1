// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region runs on a thread of a larger team, which has deferred a region within a serialized parallel region. Up to
// version 16 libomp cannot begin another serialized region there.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

#include <omp.h>

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
#pragma omp parallel num_threads(2)
    {
#pragma omp target nowait
      {}
    }
#pragma omp target map(tofrom : sum)
    sum += 1;
  }
  CHECK_EQ(sum, 2);
  return finish();
}
