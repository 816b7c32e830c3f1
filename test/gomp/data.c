// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// target data, enter data, exit data and update, with counts.
// RUN: %gcc %s -o %t
// RUN: %run %t
#include "check.h"

static int values[8], table[4] = {1, 2, 3, 4};

static int on_device(int *at) {
  int value = -1;
#pragma omp target map(from : value)
  {
    HERE();
    value = *at;
  }
  return value;
}

static void nested(void) {
  values[0] = 1;
#pragma omp target data map(tofrom : values)
  {
    values[0] = 2;
#pragma omp target data map(tofrom : values)
    CHECK_EQ(on_device(values), 1);
    CHECK_EQ(values[0], 2);
#pragma omp target update to(values[0 : 1])
    CHECK_EQ(on_device(values), 2);
#pragma omp target
    {
      values[0] = 3;
      values[7] = 7;
    }
    CHECK_EQ(values[7], 0);
#pragma omp target update from(values[4 : 4])
    CHECK_EQ(values[7], 7);
    CHECK_EQ(values[0], 2);
  }
  CHECK_EQ(values[0], 3);
  CHECK(!omp_target_is_present(values, 0));
}

static void unstructured(void) {
#pragma omp target enter data map(to : table)
#pragma omp target enter data map(alloc : table)
  CHECK(omp_target_is_present(table, 0));
#pragma omp target
  table[1] = 20;
#pragma omp target exit data map(from : table)
  CHECK_EQ(table[1], 2);
#pragma omp target exit data map(release : table)
  CHECK_EQ(table[1], 2);
  CHECK(!omp_target_is_present(table, 0));
#pragma omp target enter data map(to : table)
#pragma omp target enter data map(to : table)
#pragma omp target map(always, tofrom : table)
  table[2] = 30;
  CHECK_EQ(table[2], 30);
#pragma omp target exit data map(delete : table)
  CHECK(!omp_target_is_present(table, 0));
#pragma omp target exit data map(from : table) // absent: nothing
#pragma omp target update from(table)
  CHECK_EQ(table[2], 30);
}

static void on_host(void) {
  int x = 1;
#pragma omp target data map(tofrom : x) if (0)
  {
#pragma omp target map(tofrom : x) if (0)
    x += omp_is_initial_device();
    CHECK_EQ(x, 2);
  }
#pragma omp target device(omp_get_initial_device()) map(tofrom : x)
  x += omp_is_initial_device();
  CHECK_EQ(x, 3);
}

int main(void) {
  nested();
  unstructured();
  on_host();
  return finish();
}
