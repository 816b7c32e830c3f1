// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// User-defined mappers: counts, nesting, arrays, modifiers, deletion. LLVM's runtimes lose counts here.

// RUN: %clang -fopenmp-version=51 %s -o %t
// RUN: %run %t
// UNSUPPORTED: runtime-llvm

#include "check.h"

typedef struct {
  int x, unused;
  double *p;
  int n, tail;
} Vector;
typedef struct {
  int k;
  Vector inner;
} Outer;
#pragma omp declare mapper(whole : Vector v) map(v.x, v.n, v.p[0 : v.n])
#pragma omp declare mapper(nested : Outer o) map(o.k) map(mapper(whole), tofrom : o.inner)

#define N 6
static Vector v[N];
static Outer o[3];

static void fill(void) {
  for (int i = 0; i < N; i++) {
    v[i] = (Vector){.x = i, .n = i + 1, .p = malloc((i + 1) * sizeof(double)), .tail = -i};
    for (int j = 0; j <= i; j++)
      v[i].p[j] = 10 * i + j;
  }
  for (int i = 0; i < 3; i++)
    o[i] = (Outer){i, {.x = i, .n = 2, .p = calloc(2, sizeof(double))}};
}

static int is_there(void *p) { return omp_target_is_present(p, omp_get_default_device()); }
static int are_there(void) {
  int count = 0;
  for (int i = 0; i < N; i++)
    count += is_there(&v[i].x) + is_there(v[i].p);
  return count;
}

static void counts(void) {
#pragma omp target enter data map(mapper(whole), to : v[0 : N])
  CHECK_EQ(are_there(), 2 * N);
#pragma omp target enter data map(mapper(whole), to : v[0 : N])
#pragma omp target map(mapper(whole), tofrom : v[0 : N])
  {
    HERE();
    for (int i = 0; i < N; i++)
      v[i].p[i] += v[i].x;
  }
  CHECK(v[5].p[5] == 55); // still present: nothing is copied back
#pragma omp target exit data map(mapper(whole), from : v[0 : N])
  CHECK_EQ(are_there(), 2 * N);
  CHECK(v[5].p[5] == 55);
#pragma omp target exit data map(mapper(whole), from : v[0 : N])
  CHECK_EQ(are_there(), 0);
  CHECK(v[5].p[5] == 60);
  CHECK(v[1].p[1] == 12);
}

// One reference for the array, however many elements: an ordinary release ends it.
static void mixed_with_plain_maps(void) {
#pragma omp target enter data map(mapper(whole), to : v[0 : N])
#pragma omp target exit data map(release : v)
  CHECK(!is_there(&v[0]) && !is_there(&v[5]));
  CHECK(is_there(v[0].p) && is_there(v[5].p));
  for (int i = 0; i < N; i++) {
    double *p = v[i].p;
#pragma omp target exit data map(release : p[0 : i + 1])
  }
  CHECK_EQ(are_there(), 0);
}

static void one_element(void) {
  for (int round = 0; round < 3; round++) {
#pragma omp target enter data map(mapper(whole), to : v[2])
  }
  CHECK(is_there(&v[2].n) && is_there(v[2].p));
  for (int round = 0; round < 2; round++) {
#pragma omp target exit data map(mapper(whole), release : v[2])
    CHECK(is_there(&v[2].n) && is_there(v[2].p));
  }
#pragma omp target exit data map(mapper(whole), release : v[2])
  CHECK(!is_there(&v[2].n) && !is_there(v[2].p));
}

static void deletion(void) {
#pragma omp target enter data map(mapper(whole), to : v[0 : N])
#pragma omp target enter data map(mapper(whole), to : v[0 : N])
#pragma omp target exit data map(mapper(whole), delete : v[0 : N])
  CHECK_EQ(are_there(), 0);
#pragma omp target enter data map(mapper(whole), to : v[1])
#pragma omp target enter data map(mapper(whole), to : v[1])
#pragma omp target exit data map(mapper(whole), delete : v[1])
  CHECK(!is_there(&v[1].n) && !is_there(v[1].p));
}

static void modifiers(void) {
#pragma omp target enter data map(mapper(whole), to : v[0 : N])
  v[3].x = 300;
  v[3].p[2] = 3000;
#pragma omp target enter data map(always, mapper(whole), to : v[0 : N])
  double seen[2] = {0, 0};
#pragma omp target map(tofrom : seen) map(mapper(whole), alloc : v[0 : N])
  {
    HERE();
    seen[0] = v[3].x;
    seen[1] = v[3].p[2];
  }
  CHECK(seen[0] == 300 && seen[1] == 3000);
#pragma omp target exit data map(mapper(whole), delete : v[0 : N])
}

static void nesting(void) {
#pragma omp target enter data map(mapper(nested), to : o)
#pragma omp target map(mapper(nested), tofrom : o)
  {
    HERE();
    for (int i = 0; i < 3; i++)
      o[i].inner.p[1] = o[i].k + o[i].inner.x;
  }
  CHECK(is_there(&o[1]) && is_there(o[1].inner.p) && is_there(o[2].inner.p));
#pragma omp target update from(mapper(nested) : o)
  CHECK(o[2].inner.p[1] == 4);
#pragma omp target exit data map(mapper(nested), from : o)
  for (int i = 0; i < 3; i++)
    CHECK(!is_there(&o[i]) && !is_there(o[i].inner.p));
}

// A kernel's own, one element and several: the argument is the struct, what its pointer names is reached through it.
static void kernel_arguments(void) {
  double *p = v[4].p;
#pragma omp target map(mapper(whole), tofrom : v[4])
  {
    HERE();
    v[4].p[0] = 1 + v[4].x;
    v[4].n = v[4].n;
  }
  CHECK(v[4].p == p);
  CHECK(p[0] == 5);
  CHECK_EQ(v[4].tail, -4);
  CHECK_EQ(are_there(), 0);
}

int main(void) {
  fill();
  counts();
  mixed_with_plain_maps();
  one_element();
  deletion();
  modifiers();
  nesting();
  kernel_arguments();
  return finish();
}
