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

// The struct is close, and its members' sections are not: clang before 22 does not mark the struct as a whole.
static void map_together(Row *row, int wanted) {
  int sum = 0;
  Row own = *row;
#pragma omp target map(close, tofrom : own) map(to : own.numbers[0 : 3]) map(from : sum)
  {
    HERE();
    sum = own.count;
    for (int i = 0; i < 3; ++i)
      sum += own.numbers[i];
    own.count = 7;
  }
  CHECK_EQ(sum, wanted);
  CHECK_EQ(own.count, 7);
  CHECK(own.numbers == row->numbers);
#pragma omp target data map(close, tofrom : own.count) map(to : own.numbers)
#pragma omp target
  {
    HERE();
    own.count += own.numbers[2];
  }
  CHECK_EQ(own.count, 7 + row->numbers[2]);
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
  map_together(&row, 260);
  return finish();
}
