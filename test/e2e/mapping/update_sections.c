// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates of sections that are not contiguous: of arrays, of members, and of structs with a mapper. Strided dimensions
// start at 0: the first index is multiplied with the stride by all compilers (docs/use/mapping.md).

// RUN: %clang -fopenmp-version=51 %s -o %t
// RUN: %run %t
// UNSUPPORTED: runtime-llvm

#include "check.h"

typedef struct {
  int x;
  int *p;
} Item;
#pragma omp declare mapper(deep : Item i) map(i.x, i.p[0 : 2])

static int a[8][8], c[4][5][6];
static signed char bytes[16][4];
static struct {
  int before;
  int m[6][6];
} s;

static void two_dimensions(void) {
#pragma omp target enter data map(to : a)
#pragma omp target
  {
    HERE();
    for (int i = 0; i < 64; i++)
      a[i / 8][i % 8] = i + 1;
  }
#pragma omp target update from(a[0 : 4 : 2][1 : 3])
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      CHECK_EQ(a[i][j], i % 2 == 0 && j >= 1 && j < 4 ? 8 * i + j + 1 : 0);
  for (int i = 0; i < 64; i++)
    a[i / 8][i % 8] = -1;
#pragma omp target update to(a[0 : 2 : 3][4 : 4])
#pragma omp target exit data map(from : a)
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      CHECK_EQ(a[i][j], (i == 0 || i == 3) && j >= 4 ? -1 : 8 * i + j + 1);
}

static void three_dimensions(void) {
#pragma omp target data map(alloc : c)
  {
#pragma omp target
    {
      HERE();
      for (int i = 0; i < 120; i++)
        c[i / 30][i / 6 % 5][i % 6] = i + 1;
    }
#pragma omp target update from(c[1 : 2][0 : 2 : 2][2 : 3])
    for (int i = 0; i < 120; i++) {
      int x = i / 30, y = i / 6 % 5, z = i % 6;
      CHECK_EQ(c[x][y][z], (x == 1 || x == 2) && (y == 0 || y == 2) && z >= 2 && z < 5 ? i + 1 : 0);
    }
  }
}

// Elements of one byte: nothing in the descriptor tells clang 23's from older ones.
static void one_byte(void) {
#pragma omp target enter data map(to : bytes)
#pragma omp target
  {
    HERE();
    for (int i = 0; i < 64; i++)
      bytes[i / 4][i % 4] = (signed char)(i + 1);
  }
#pragma omp target update from(bytes[2:3][1:2])
  for (int i = 0; i < 64; i++)
    CHECK_EQ(bytes[i / 4][i % 4], i / 4 >= 2 && i / 4 < 5 && i % 4 >= 1 && i % 4 < 3 ? i + 1 : 0);
  for (int i = 0; i < 64; i++)
    bytes[i / 4][i % 4] = -1;
#pragma omp target update to(bytes[3:2][2:2])
#pragma omp target exit data map(from : bytes)
  for (int i = 0; i < 64; i++)
    CHECK_EQ(bytes[i / 4][i % 4], (i / 4 == 3 || i / 4 == 4) && i % 4 >= 2 ? -1 : i + 1);
}

// Compilers before 22 lose the section of a member.
static void member(void) {
#pragma omp target enter data map(to : s)
#pragma omp target
  {
    HERE();
    s.before = 9;
    for (int i = 0; i < 36; i++)
      s.m[i / 6][i % 6] = i + 1;
  }
#pragma omp target update from(s.m[0 : 2 : 2][2 : 2])
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      CHECK_EQ(s.m[i][j], __clang_major__ >= 22 && (i == 0 || i == 2) && (j == 2 || j == 3) ? 6 * i + j + 1 : 0);
  CHECK_EQ(s.before, 0);
#pragma omp target exit data map(delete : s)
}

// Elements 0, 2 and 4 through a mapper. Compilers before 22 pass a contiguous section instead, which covers 0, 1 and 2.
static void with_mapper(void) {
  Item items[6];
  int data[6][2] = {{0}};
  for (int i = 0; i < 6; i++)
    items[i] = (Item){i, data[i]};
#pragma omp target enter data map(mapper(deep), to : items)
#pragma omp target map(mapper(deep), alloc : items)
  {
    HERE();
    for (int i = 0; i < 6; i++) {
      items[i].x = 100 + i;
      items[i].p[1] = 200 + i;
    }
  }
#pragma omp target update from(mapper(deep) : items[0 : 3 : 2])
  int last = __clang_major__ >= 22 ? 4 : 2;
  CHECK_EQ(items[0].x, 100);
  CHECK_EQ(data[0][1], 200);
  CHECK_EQ(items[2].x, 102);
  CHECK_EQ(data[2][1], 202);
  CHECK_EQ(items[last].x, 100 + last);
  CHECK_EQ(data[last][1], 200 + last);
  CHECK_EQ(items[5].x, 5);
  CHECK_EQ(data[5][1], 0);
  for (int i = 0; i < 6; i++)
    CHECK(items[i].p == data[i]);
#pragma omp target exit data map(mapper(deep), delete : items)
  CHECK(!omp_target_is_present(items, 0) && !omp_target_is_present(data[3], 0));
}

int main(void) {
  two_dimensions();
  three_dimensions();
  one_byte();
  member();
  with_mapper();
  return finish();
}
