// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes and alignments of every kind, neighbouring sections, the close modifier.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

#include <string.h>

// Bytes at every alignment, in sizes around powers of two; neighbours must stay as they are.
static void odd(unsigned char *memory, int offset, int size) {
  unsigned char *p = memory + offset;
  memset(memory, 7, size + 64);
#pragma omp target map(tofrom : p[0 : size])
  {
    HERE();
    for (int i = 0; i < size; i++)
      p[i] = (unsigned char)(p[i] + i + 1);
  }
  int wrong = 0;
  for (int i = 0; i < size + 64; i++)
    wrong += memory[i] != (i >= offset && i < offset + size ? (unsigned char)(7 + i - offset + 1) : 7);
  CHECK_EQ(wrong, 0);
}

int main(void) {
  static unsigned char memory[70000];
  static const int sizes[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1023, 1024, 1025, 4095, 4096, 4097, 65537};
  for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int offset = 0; offset < 17; offset += 3)
      odd(memory, offset, sizes[k]);

  int x = 3;
#pragma omp target enter data map(close, alloc : x)
#pragma omp target map(close, tofrom : x)
  {
    HERE();
    x = 9;
  }
#pragma omp target exit data map(from : x)
  CHECK_EQ(x, 9);

  // Sections side by side, each mapped for itself.
  int a[100];
  for (int i = 0; i < 100; i++)
    a[i] = i;
#pragma omp target data map(tofrom : a[0 : 10])
  {
    int *second = &a[10], *third = &a[20];
#pragma omp target data map(tofrom : second[0 : 10]) map(to : third[0 : 1])
    {
#pragma omp target map(tofrom : second[0 : 10])
      {
        HERE();
        for (int i = 0; i < 10; i++)
          second[i] = -second[i];
      }
    }
    CHECK(!omp_target_is_present(&a[10], 0));
    CHECK(!omp_target_is_present(&a[20], 0));
    CHECK(omp_target_is_present(&a[9], 0));
  }
  CHECK_EQ(a[9], 9);
  CHECK_EQ(a[10], -10);
  CHECK_EQ(a[19], -19);
  CHECK_EQ(a[20], 20);
  return finish();
}
