// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs: whole, members, pointer members with their pointees, through a pointer.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

struct Vector {
  int id;
  double *data;
  int n;
  int *index;
  char tail[5];
};

static struct Vector make(int n) {
  struct Vector v = {7, malloc(n * sizeof(double)), n, malloc(n * sizeof(int)), "tail"};
  for (int i = 0; i < n; i++) {
    v.data[i] = i;
    v.index[i] = n - 1 - i;
  }
  return v;
}

static void destroy(struct Vector v) {
  free(v.data);
  free(v.index);
}

static void whole(void) {
  struct Vector v = make(1);
#pragma omp target map(tofrom : v)
  {
    HERE();
    v.id++;
    v.n = 5;
    v.tail[0] = 'T';
  }
  CHECK_EQ(v.id, 8);
  CHECK_EQ(v.n, 5);
  CHECK_EQ(v.tail[0], 'T');
  destroy(v);
}

static void members(void) {
  struct Vector v = make(100);
  double *data = v.data;
  int *index = v.index;
#pragma omp target map(tofrom : v.id, v.data[0 : v.n]) map(to : v.n, v.index[0 : v.n])
  {
    HERE();
    v.id = v.n;
    for (int i = 0; i < v.n; i++)
      v.data[i] += 1000 * v.index[i];
  }
  CHECK_EQ(v.id, 100);
  CHECK(v.data == data);
  CHECK(v.index == index);
  for (int i = 0; i < 100; i++)
    CHECK(v.data[i] == i + 1000 * (99 - i));
  destroy(v);
}

static void through_pointer(void) {
  struct Vector v = make(40), *p = &v;
#pragma omp target enter data map(to : p->n, p->id, p->data[0 : 40])
  for (int round = 0; round < 3; round++) {
#pragma omp target map(tofrom : p->id, p->data[0 : 40])
    {
      HERE();
      for (int i = 0; i < 40; i++)
        p->data[i] += p->id;
    }
  }
  CHECK(v.data[1] == 1);
#pragma omp target update from(p->data[0 : 20])
  CHECK(v.data[1] == 22);
  CHECK(v.data[21] == 21);
#pragma omp target exit data map(from : p->data[0 : 40]) map(release : p->n, p->id)
  CHECK(v.data[21] == 42);
  CHECK(p == &v);
  destroy(v);
}

// The whole struct first, then what its pointer points at: the device's copy of the pointer follows.
static void attach_later(void) {
  struct Vector v = make(10);
  double *data = v.data;
#pragma omp target data map(tofrom : v)
  {
#pragma omp target data map(tofrom : v.data[0 : 10])
    {
#pragma omp target
      {
        HERE();
        for (int i = 0; i < 10; i++)
          v.data[i] *= 2;
        v.n = 11;
      }
    }
    CHECK(v.data[9] == 18);
  }
  CHECK(v.data == data); // the device's address never reaches the host
  CHECK_EQ(v.n, 11);
  destroy(v);
}

int main(void) {
  whole();
  members();
  through_pointer();
  attach_later();
  return finish();
}
