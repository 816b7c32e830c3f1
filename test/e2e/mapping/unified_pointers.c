// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unified shared memory: a struct that is to be close has a copy on the device. Its pointers are attached to data that
// are used in place.

// RUN: %clang -fopenmp-version=51 %s -o %t
// RUN: %run %t
// REQUIRES: runtime-omptarget

#include "check.h"

#pragma omp requires unified_shared_memory

typedef struct {
  int count;
  int *numbers;
} Row;

static int sum_of(Row *row) {
  int sum = 0;
#pragma omp target map(to : row[0 : 1]) map(to : row->numbers[0 : 3]) map(from : sum)
  {
    HERE();
    sum = row->count;
    for (int i = 0; i < 3; ++i)
      sum += row->numbers[i];
  }
  return sum;
}

int main(void) {
  int few[3] = {1, 2, 3}, many[3] = {10, 20, 30};
  Row row = {100, few};
#pragma omp target enter data map(close, to : row)
  CHECK_EQ(sum_of(&row), 106);
  row.numbers = many;
  row.count = 200; // the copy has 100
  CHECK_EQ(sum_of(&row), 160);
#pragma omp target exit data map(delete : row)
  return finish();
}
