// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// firstprivate and private data: small ones packed, large ones, each aligned as it is on the host; the host's stay.

// RUN: %clang %s -o %t
// RUN: %run %t
// UNSUPPORTED: runtime-llvm-14, runtime-llvm-15, runtime-llvm-16

#include "check.h"

#include <stdint.h>

typedef struct {
  char c[3];
} Three;
typedef struct {
  double d[2];
  char c;
} Aligned;

int main(void) {
  Three three = {"ab"};
  Aligned aligned = {{1.5, 2.5}, 'x'};
  char tail[5] = "tail";
  static int large[5000], larger[100000];
  int small[7] = {1, 2, 3, 4, 5, 6, 7}, work[300], wrong = -1;
  for (int i = 0; i < 5000; i++)
    large[i] = i;
  for (int i = 0; i < 100000; i++)
    larger[i] = 3 * i;
  for (int round = 0; round < 3; round++) {
    wrong = -1;
#pragma omp target firstprivate(three, aligned, tail, large, small, larger) private(work) map(from : wrong)
    {
      HERE();
      wrong = 0;
      wrong += three.c[1] != 'b' || tail[3] != 'l' || aligned.d[1] != 2.5 || aligned.c != 'x';
      wrong += (uintptr_t)&aligned % 8 != 0 || (uintptr_t)small % 4 != 0 || (uintptr_t)work % 4 != 0;
      for (int i = 0; i < 5000; i++)
        wrong += large[i] != i;
      for (int i = 0; i < 100000; i += 99)
        wrong += larger[i] != 3 * i;
      for (int i = 0; i < 7; i++)
        wrong += small[i] != i + 1;
      for (int i = 0; i < 300; i++)
        work[i] = large[i] = small[i % 7] = -1;
      three.c[0] = '?';
      aligned.c = '?';
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(large[0], 0);
    CHECK_EQ(small[6], 7);
    CHECK_EQ(three.c[0], 'a');
    CHECK_EQ(aligned.c, 'x');
  }
  return finish();
}
