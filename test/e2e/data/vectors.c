// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data that the compiler aligns for vectors of 32 bytes are so aligned on the device, whose code may rely on it.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

#include <stdint.h>

typedef float Vector __attribute__((vector_size(32)));

static int misaligned(const void *address) { return (uintptr_t)address % sizeof(Vector) != 0; }

int main(void) {
  static Vector many[3][5], few[2];
  for (int round = 0; round < 20; round++) {
    Vector one = {1, 2}, own[3] = {{round}};
    int wrong = 0;
#pragma omp target map(tofrom : wrong, one, few, many[round % 3]) firstprivate(own)
    {
      HERE();
      wrong = misaligned(&one) + misaligned(few) + misaligned(many[round % 3]) + misaligned(own);
      one[1] += own[0][0];
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ((int)one[1], 2 + round);
  }
  return finish();
}
