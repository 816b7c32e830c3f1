// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// declare target globals: values, arrays, structs, read and written in regions and functions, updated, of two files.

// RUN: %clang %s %inputs/globals_other.c -o %t
// RUN: %run %t

#include "check.h"

#pragma omp declare target
int counter = 5;
int table[10] = {0, 1, 2, 3};
struct {
  double x;
  char name[8];
} record = {1.5, "abc"};
extern int other;
int other_on_device(int add);
int next(void) { return ++counter; }
#pragma omp end declare target

int main(void) {
  int seen = 0, from_function = 0, from_other = 0;
#pragma omp target map(from : seen, from_function, from_other)
  {
    HERE();
    seen = counter + table[3] + (int)(record.x * 2) + record.name[1];
    from_function = next();
    from_other = other_on_device(10);
    table[9] = 90;
  }
  CHECK_EQ(seen, 5 + 3 + 3 + 'b');
  CHECK_EQ(from_function, 6);
  CHECK_EQ(from_other, 1010);
  CHECK_EQ(counter, 5); // the host's own is another
  CHECK_EQ(table[9], 0);
#pragma omp target update from(counter, table, other)
  CHECK_EQ(counter, 6);
  CHECK_EQ(table[9], 90);
  CHECK_EQ(other, 1010);
  counter = 20;
  table[1] = 11;
#pragma omp target update to(counter, table[1 : 1])
#pragma omp target map(from : seen)
  {
    HERE();
    seen = next() + table[1] + table[2];
  }
  CHECK_EQ(seen, 21 + 11 + 2);

  // Always present, whatever is mapped and unmapped.
  CHECK(omp_target_is_present(&counter, 0));
#pragma omp target enter data map(to : table)
#pragma omp target exit data map(delete : table)
  CHECK(omp_target_is_present(table, 0));
  table[1] = 12;
#pragma omp target map(always, tofrom : table)
  {
    HERE();
    table[2] = table[1] + 1;
  }
  CHECK_EQ(table[2], 13);
  return finish();
}
