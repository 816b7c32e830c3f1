// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// declare mapper: a struct brings along what its member points at, alone and in arrays.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

struct Row {
  int n;
  double *values;
};
#pragma omp declare mapper(struct Row r) map(tofrom : r.n) map(tofrom : r.values[0 : r.n])

static struct Row make(int n, double first) {
  struct Row row = {n, malloc(n * sizeof(double))};
  for (int i = 0; i < n; i++)
    row.values[i] = first + i;
  return row;
}

int main(void) {
  struct Row one = make(10, 0);
  double *values = one.values;
#pragma omp target map(tofrom : one)
  {
    HERE();
    for (int i = 0; i < one.n; i++)
      one.values[i] *= 2;
  }
  CHECK(one.values == values);
  CHECK(one.values[9] == 18);
  free(values);

  struct Row rows[4];
  for (int k = 0; k < 4; k++)
    rows[k] = make(k + 1, 100 * k);
#pragma omp target enter data map(to : rows[0 : 4])
#pragma omp target
  {
    HERE();
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < rows[k].n; i++)
        rows[k].values[i] += 1;
  }
#pragma omp target exit data map(from : rows[0 : 4])
  for (int k = 0; k < 4; k++)
    for (int i = 0; i <= k; i++)
      CHECK(rows[k].values[i] == 100 * k + i + 1);
  for (int k = 0; k < 4; k++)
    free(rows[k].values);
  return finish();
}
