// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Map clauses of C work as GCC passes them: structs and members, pointers in them, sections of no length, values.
// RUN: %gcc -O1 %s -o %t
// RUN: %run %t
#include "check.h"
#include <complex.h>
#include <string.h>

struct Inner {
  int a, *p, n;
  double b[4];
};
struct Outer {
  struct Inner *q;
  int z;
};

static void values(void) {
  int i = 7;
  long l = 1L << 40;
  float f = 2;
  double d = 1.5;
  long double e = 3.25L;
  double _Complex z = 1 + 2 * I;
  __int128 w = (__int128)5 << 70;
  struct Inner s = {.a = 4, .b = {1, 2, 3, 4}};
  int array[100];
  for (int k = 0; k < 100; ++k)
    array[k] = k;
  int is_right = 0;
#pragma omp target firstprivate(s, array) map(from : is_right)
  {
    HERE();
    is_right = i == 7 && l == 1L << 40 && f == 2 && d == 1.5 && e == 3.25L && cimag(z) == 2 && w >> 70 == 5 &&
               s.a == 4 && s.b[3] == 4 && array[99] == 99;
    s.a = array[5] = 0;
  }
  CHECK(is_right);
  CHECK_EQ(s.a, 4);
  CHECK_EQ(array[5], 5);
}

static void members(void) {
  int pointee[4] = {1, 2, 3, 4};
  struct Inner s = {.a = 1, .p = pointee, .n = 4, .b = {1, 2, 3, 4}};
  struct Outer t = {&s, 1};
#pragma omp target map(s.a, s.b[1 : 2])
  s.a = 10, s.b[2] = 30;
  CHECK_EQ(s.a, 10);
  CHECK_EQ(s.b[2], 30);
#pragma omp target map(s.p[ : 4])
  s.p[3] = 40;
  CHECK_EQ(pointee[3], 40);
  CHECK(s.p == pointee);
#pragma omp target map(s.p, s.p[ : 4], s.n)
  s.p[0] = ++s.n;
  CHECK_EQ(s.n, 5);
  CHECK_EQ(pointee[0], 5);
#pragma omp target map(t.q[ : 1])
  t.q->a = 11;
  CHECK_EQ(s.a, 11);
  CHECK(t.q == &s && s.p == pointee);
#pragma omp target enter data map(to : s) map(to : s.p[ : 4])
#pragma omp target
  s.p[2] = 300, s.a = 5;
#pragma omp target exit data map(release : s.p[ : 4]) map(from : s)
  CHECK_EQ(pointee[2], 3);
  CHECK_EQ(s.a, 5);
  CHECK(s.p == pointee);
  CHECK(!omp_target_is_present(&s, 0) && !omp_target_is_present(pointee, 0));
#pragma omp target enter data map(to : s.a, s.n)
#pragma omp target map(s.a, s.n)
  s.a = 50, s.n = 60;
#pragma omp target exit data map(from : s.a, s.n)
  CHECK_EQ(s.a, 50);
  CHECK_EQ(s.n, 60);
  CHECK(!omp_target_is_present(&s.a, 0));
#pragma omp target enter data map(to : s)
#pragma omp target enter data map(to : s.a, s.n)
#pragma omp target exit data map(release : s.a, s.n) // counted once
  CHECK(omp_target_is_present(&s, 0));
#pragma omp target exit data map(release : s)
  CHECK(!omp_target_is_present(&s, 0));
#pragma omp target enter data map(to : s)
#pragma omp target enter data map(to : pointee)
#pragma omp target map(s.p[ : 4]) // present both, and not yet attached
  s.p[1] = 21;
#pragma omp target exit data map(from : pointee) map(delete : s)
  CHECK_EQ(pointee[1], 21);
#pragma omp target enter data map(to : s)
#pragma omp target enter data map(to : pointee)
#pragma omp target enter data map(to : s.p[ : 4]) // nothing is new
  int *on_device = NULL;
#pragma omp target map(from : on_device)
  on_device = s.p;
  CHECK(on_device != pointee);
#pragma omp target exit data map(delete : pointee) map(delete : s)
}

struct Vector {
  int id;
  double *data;
  int n;
  int *index;
};

/// GCC 12 does not list a pointer of the struct that is attached before the first member.
static void pointers_before(void) {
  struct {
    double *x;
    int n;
    double *y;
  } s;
  double x[5] = {0}, y[5] = {0};
  s.x = x, s.y = y, s.n = 5;
#pragma omp target map(to : s.n) map(tofrom : s.x[0 : 5])
  for (int i = 0; i < s.n; i++)
    s.x[i] += i;
  CHECK(x[4] == 4 && s.x == x);
#pragma omp target map(to : s.n) map(tofrom : s.x[0 : 5], s.y[0 : 5])
  for (int i = 0; i < s.n; i++)
    s.y[i] = s.x[i] + i;
  CHECK(y[4] == 8 && s.y == y);
}

/// GCC 12 does not list a pointer of the struct that is attached behind the last member.
static void pointers_behind(void) {
  double data[4] = {1, 2, 3, 4}, sum = 0;
  int index[4] = {3, 2, 1, 0};
  struct Vector v = {7, data, 4, index};
#pragma omp target map(tofrom : v.id, v.data[0 : v.n]) map(to : v.n, v.index[0 : v.n]) map(from : sum)
  {
    v.id = v.n;
    sum = v.data[v.index[0]];
  }
  CHECK_EQ(v.id, 4);
  CHECK_EQ(sum, 4);
  CHECK(v.index == index && v.data == data);
}

static void sections(void) {
  int *p = malloc(10 * sizeof(int)), *null = NULL, array[10] = {0}, is_null = 0;
  memset(p, 0, 10 * sizeof(int));
#pragma omp target map(array[2 : 3]) map(p[1 : 5])
  array[4] = 4, p[5] = 5;
  CHECK_EQ(array[4], 4);
  CHECK_EQ(p[5], 5);
#pragma omp target data map(p[ : 10])
  {
#pragma omp target map(p[ : 0]) map(null[ : 0]) map(from : is_null)
    p[6] = 6, is_null = null == NULL;
#pragma omp target
    p[7] = 7;
    CHECK_EQ(p[7], 0);
#pragma omp target map(p[2 : 3])
    p[8] = 8;
  }
  CHECK(is_null);
  CHECK_EQ(p[6], 6);
  CHECK_EQ(p[7], 7);
  CHECK_EQ(p[8], 8);
  int *middle = p + 4;
#pragma omp target map(middle[-2 : 4])
  middle[-2] = 2;
  CHECK_EQ(p[2], 2);
#pragma omp target exit data map(delete : p[ : 0])
  int n = 6, length[n];
#pragma omp target
  for (int i = 0; i < n; ++i)
    length[i] = i;
  CHECK_EQ(length[5], 5);
  free(p);
}

static void device_addresses(void) {
  int array[4] = {1, 2, 3, 4}, i = 5, *p = array, sum = 0;
#pragma omp target data map(array, i) use_device_addr(array, i)
  {
    CHECK(p != array);
#pragma omp target has_device_addr(array, i)
    array[0] += i;
  }
  CHECK_EQ(array[0], 6);
#pragma omp target data map(p[ : 4]) use_device_ptr(p)
  {
    CHECK(p != array);
#pragma omp target is_device_ptr(p) map(from : sum)
    sum = p[0] + p[3];
  }
  CHECK_EQ(sum, 10);
#pragma omp target data map(p[2 : 2]) use_device_ptr(p) // the section does not begin at the pointer
  {
    CHECK(p != array);
#pragma omp target is_device_ptr(p)
    p[3] = 40;
  }
  CHECK_EQ(array[3], 40);
#pragma omp target data use_device_ptr(p) // absent: stays
  CHECK(p == array);
}

static void defaults(void) {
  int array[4] = {0}, scalar = 1;
#pragma omp target defaultmap(tofrom : scalar)
  scalar = 2;
  CHECK_EQ(scalar, 2);
#pragma omp target data map(to : array)
  {
#pragma omp target defaultmap(alloc : aggregate)
    array[0] = 1;
#pragma omp target map(always, from : array)
    array[1] = 2;
  }
  CHECK_EQ(array[0], 1);
  CHECK_EQ(array[1], 2);
}

int main(void) {
  values();
  members();
  pointers_before();
  pointers_behind();
  sections();
  device_addresses();
  defaults();
  return finish();
}
