// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// firstprivate and private: scalars, arrays of many sizes, alignment, many at once.

// RUN: %clang %s -o %t
// RUN: %run %t
// The runtimes of LLVM 14 to 16 place such copies at addresses that are not aligned.
// UNSUPPORTED: runtime-llvm-14, runtime-llvm-15, runtime-llvm-16

#include "check.h"

#include <stdint.h>
#include <string.h>

struct Odd {
  char text[13];
};

int main(void) {
  int i = 3, untouched = 4;
  double d = 2.5;
  char small[3] = {1, 2, 3};
  int array[17];
  struct Odd odd = {"twelve chars"};
  double big[2000];
  _Alignas(16) float aligned[4] = {1, 2, 3, 4};
  for (int k = 0; k < 17; k++)
    array[k] = k;
  for (int k = 0; k < 2000; k++)
    big[k] = k;
  double result = 0;
  int misaligned = -1, text_ok = 0;
#pragma omp target firstprivate(i, d, small, array, odd, big, aligned) map(from : result, misaligned, text_ok)
  {
    HERE();
    result = i + d + small[0] + small[2];
    for (int k = 0; k < 17; k++)
      result += array[k];
    for (int k = 0; k < 2000; k++)
      result += big[k];
    for (int k = 0; k < 4; k++)
      result += aligned[k];
    misaligned = ((uintptr_t)aligned % 16 != 0) + ((uintptr_t)big % 8 != 0) + ((uintptr_t)array % 4 != 0);
    text_ok = odd.text[0] == 't' && odd.text[11] == 's' && odd.text[12] == 0;
    i = 99;
    array[0] = 99;
    big[0] = 99;
    small[0] = 99;
  }
  CHECK(result == 3 + 2.5 + 4 + 136 + 1999.0 * 1000 + 10);
  CHECK_EQ(misaligned, 0);
  CHECK_EQ(text_ok, 1);
  CHECK_EQ(i, 3);
  CHECK_EQ(array[0], 0);
  CHECK_EQ(small[0], 1);
  CHECK(big[0] == 0);

  int scratch[50];
  memset(scratch, 1, sizeof scratch);
  int sum = 0;
#pragma omp target private(scratch, untouched) map(tofrom : sum)
  {
    HERE();
    untouched = 50;
    for (int k = 0; k < untouched; k++)
      scratch[k] = k;
    for (int k = 0; k < untouched; k++)
      sum += scratch[k];
  }
  CHECK_EQ(sum, 49 * 50 / 2);
  CHECK_EQ(untouched, 4);
  CHECK_EQ(scratch[0], 0x01010101);

  int mapped = 1; // implicitly firstprivate, although present
#pragma omp target data map(tofrom : mapped)
  {
#pragma omp target
    {
      HERE();
      mapped = 77;
    }
  }
  CHECK_EQ(mapped, 1);
  return finish();
}
