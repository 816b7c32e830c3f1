// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructs without waiting that dependences order, as tasks of four threads. The helper threads of libomp 14 to 16
// fail with nested tasks like these, on every runtime.

// RUN: %clang %s -o %t
// RUN: %run LIBOMP_USE_HIDDEN_HELPER_TASK=0 %t
// libomp gives the memory of a task that is done to other threads, which ThreadSanitizer cannot see.
// UNSUPPORTED: tsan

#include "check.h"

int main(void) {
  static int chain[16];
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int round = 0; round < 50; round++)
    for (int i = 0; i < 16; i++) {
#pragma omp target enter data map(to : chain[i : 1]) nowait depend(inout : chain[i])
#pragma omp target map(tofrom : chain[i : 1]) nowait depend(inout : chain[i])
      {
        HERE();
        chain[i] += i;
      }
#pragma omp target update from(chain[i : 1]) nowait depend(inout : chain[i])
#pragma omp target exit data map(from : chain[i : 1]) nowait depend(inout : chain[i])
    }
  for (int i = 0; i < 16; i++)
    CHECK_EQ(chain[i], 50 * i);
  return finish();
}
