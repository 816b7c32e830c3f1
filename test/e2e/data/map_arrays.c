// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Array sections: lower bounds, several dimensions, variable length, heap memory.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

static void sections(void) {
  int a[100];
  for (int i = 0; i < 100; i++)
    a[i] = i;
#pragma omp target map(tofrom : a[20 : 30])
  {
    HERE();
    for (int i = 20; i < 50; i++)
      a[i] += 1000;
  }
  for (int i = 0; i < 100; i++)
    CHECK_EQ(a[i], i >= 20 && i < 50 ? i + 1000 : i);
}

static void dimensions(void) {
  static int grid[8][16][4];
  for (int i = 0; i < 8 * 16 * 4; i++)
    (&grid[0][0][0])[i] = i;
#pragma omp target map(tofrom : grid[2 : 3][0 : 16][0 : 4])
  {
    HERE();
    for (int i = 2; i < 5; i++)
      for (int j = 0; j < 16; j++)
        for (int k = 0; k < 4; k++)
          grid[i][j][k] = -grid[i][j][k];
  }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 16; j++)
      for (int k = 0; k < 4; k++) {
        int start = (i * 16 + j) * 4 + k;
        CHECK_EQ(grid[i][j][k], i >= 2 && i < 5 ? -start : start);
      }
}

static void variable_length(int n, int m) {
  double v[n][m];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      v[i][j] = i * m + j;
  double sum = 0;
#pragma omp target map(tofrom : v, sum)
  {
    HERE();
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        sum += v[i][j];
        v[i][j] *= 2;
      }
  }
  CHECK(sum == (n * m - 1) * (n * m) / 2);
  CHECK(v[n - 1][m - 1] == 2 * (n * m - 1));
}

static void heap(size_t n) {
  double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  for (size_t i = 0; i < n; i++) {
    x[i] = i;
    y[i] = 1;
  }
#pragma omp target map(to : x[0 : n]) map(tofrom : y[0 : n])
  {
    HERE();
    for (size_t i = 0; i < n; i++) {
      y[i] += 2 * x[i];
      x[i] = -1; // stays on the device
    }
  }
  int wrong = 0;
  for (size_t i = 0; i < n; i++)
    wrong += y[i] != 1 + 2.0 * i || x[i] != i;
  CHECK_EQ(wrong, 0);
  free(x);
  free(y);
}

int main(void) {
  sections();
  dimensions();
  variable_length(7, 13);
  heap(1);
  heap(1000);
  heap(1000000);
  return finish();
}
