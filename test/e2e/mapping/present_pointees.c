// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pointer of a struct points to must be present, the struct need not be, though clang marks it, too. A member
// that must be present needs its struct, also in an array that a mapper has just mapped.

// RUN: %clang -fopenmp-version=51 %s -o %t
// RUN: %run %t
// RUN: %expect-abort %t element 2>&1 | %check
// RUN: %expect-abort %t array 2>&1 | %check
// REQUIRES: runtime-omptarget

#include "check.h"

#include <string.h>

typedef struct {
  int count;
  int *numbers;
} Row;
#pragma omp declare mapper(pointee : Row r) map(to : r) map(present, alloc : r.numbers[0 : 4])
#pragma omp declare mapper(counted : Row r) map(present, to : r.count) map(to : r.numbers[0 : 4])

static int numbers[4] = {10, 20, 30, 40}, *global = numbers;

static void struct_and_pointee(Row row) {
  int sum = 0;
#pragma omp target map(to : row) map(present, alloc : row.numbers[0 : 4]) map(from : sum)
  {
    HERE();
    sum = row.count + row.numbers[1];
  }
  CHECK_EQ(sum, 21);
#pragma omp target map(present, alloc : row.numbers[0 : 4]) map(from : sum)
  {
    HERE();
    sum = row.numbers[2];
  }
  CHECK_EQ(sum, 30);
#pragma omp target map(present, alloc : global[0 : 4]) map(from : sum)
  {
    HERE();
    sum = global[3];
  }
  CHECK_EQ(sum, 40);
#pragma omp target exit data map(present, release : row.numbers[0 : 4])
  CHECK(omp_target_is_present(numbers, omp_get_default_device()));
}

static void with_mapper(Row *rows) {
  int sum = 0;
#pragma omp target map(mapper(pointee), to : rows[0 : 1]) map(from : sum)
  {
    HERE();
    sum = rows[0].count + rows[0].numbers[1];
  }
  CHECK_EQ(sum, 21);
#pragma omp target map(mapper(pointee), to : rows[0 : 3]) map(from : sum)
  {
    HERE();
    sum = rows[2].count + rows[1].numbers[3];
  }
  CHECK_EQ(sum, 43);
}

int main(int argc, char **argv) {
  Row rows[3] = {{1, numbers}, {2, numbers}, {3, numbers}};
  // CHECK: device mapping required by 'present' map type modifier does not exist for host address
  // CHECK-NOT: after
  if (argc > 1) {
    const int count = strcmp(argv[1], "array") == 0 ? 3 : 1;
#pragma omp target enter data map(mapper(counted), to : rows[0 : count])
    puts("after");
    return 0;
  }
#pragma omp target enter data map(to : numbers)
#pragma omp target enter data map(to : numbers)
  struct_and_pointee(rows[0]);
  with_mapper(rows);
#pragma omp target exit data map(delete : numbers)
  CHECK(!omp_target_is_present(numbers, omp_get_default_device()));
  return finish();
}
