// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Base pointers that the program does not name: compilers before clang 22 map and release them together with what they
// point to. However often that is released or deleted, what the program has mapped stays.

// LLVM's libraries take away what the program has mapped, and leave base pointers behind.
// UNSUPPORTED: runtime-llvm
// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

struct T {
  int n, *p;
};
struct S {
  int n, *p, *q;
  struct T *t;
  int *rows[2];
};

static int a[4], b[4], *array[2] = {a, b};
static int **row_of_a = array, **global = array, ***global_rows = &row_of_a;
static struct T t = {1, a};
static struct S s = {1, a, b, &t, {a, b}}, *global_s = &s;

static int is_there(void *p) { return omp_target_is_present(p, omp_get_default_device()); }

#define OMP(...) _Pragma(#__VA_ARGS__)

// The program maps NAMED, in which HOLDER lies, for itself, and maps and leaves the rest, which lies in a, through
// pointers.
#define SHAPE(NAME, HOLDER, NAMED, ...)                                                                                \
  static void NAME(void) {                                                                                             \
    int **local = array, ***local_rows = &row_of_a;                                                                    \
    struct S *local_s = &s;                                                                                            \
    (void)local, (void)local_rows, (void)local_s;                                                                      \
    OMP(omp target enter data map(to : NAMED))                                                                         \
    OMP(omp target enter data map(to : __VA_ARGS__))                                                                   \
    CHECK(is_there(a) && is_there(HOLDER));                                                                            \
    for (int i = 0; i < 3; i++) {                                                                                      \
      OMP(omp target exit data map(release : __VA_ARGS__))                                                             \
      CHECK(!is_there(a) && is_there(HOLDER));                                                                         \
    }                                                                                                                  \
    OMP(omp target exit data map(from : __VA_ARGS__))                                                                  \
    CHECK(is_there(HOLDER));                                                                                           \
    for (int i = 0; i < 2; i++) {                                                                                      \
      OMP(omp target enter data map(to : __VA_ARGS__))                                                                 \
      OMP(omp target enter data map(to : __VA_ARGS__))                                                                 \
    }                                                                                                                  \
    for (int i = 0; i < 2; i++) {                                                                                      \
      OMP(omp target exit data map(delete : __VA_ARGS__))                                                              \
      CHECK(!is_there(a) && is_there(HOLDER));                                                                         \
    }                                                                                                                  \
    OMP(omp target data map(tofrom : __VA_ARGS__))                                                                     \
    CHECK(is_there(a) && is_there(HOLDER));                                                                            \
    CHECK(!is_there(a) && is_there(HOLDER));                                                                           \
    OMP(omp target enter data map(to : a, b)) /* without pointers */                                                   \
    OMP(omp target exit data map(release : __VA_ARGS__))                                                               \
    CHECK(!is_there(a) && is_there(HOLDER));                                                                           \
    OMP(omp target exit data map(delete : b))                                                                          \
    OMP(omp target exit data map(delete : NAMED))                                                                      \
    CHECK(!is_there(HOLDER));                                                                                          \
    for (int i = 0; i < 2; i++) { /* nothing is named */                                                               \
      OMP(omp target enter data map(to : __VA_ARGS__))                                                                 \
    }                                                                                                                  \
    OMP(omp target exit data map(release : __VA_ARGS__))                                                               \
    CHECK(is_there(a));                                                                                                \
    OMP(omp target exit data map(release : __VA_ARGS__))                                                               \
    CHECK(!is_there(a) && !is_there(HOLDER));                                                                          \
    for (int i = 0; i < 2; i++) {                                                                                      \
      OMP(omp target enter data map(to : __VA_ARGS__))                                                                 \
    }                                                                                                                  \
    OMP(omp target exit data map(delete : __VA_ARGS__))                                                                \
    CHECK(!is_there(a) && !is_there(HOLDER));                                                                          \
  }

SHAPE(element, array, array, array[0][0 : 4])
SHAPE(elements, array, array, array[0][0 : 4], array[1][0 : 4])
SHAPE(element_of_local, array, local[0 : 2], local[0][0 : 4])
SHAPE(element_of_global, array, global[0 : 2], global[0][0 : 4])
SHAPE(third_level_of_local, array, array, local_rows[0][0][0 : 4])
SHAPE(third_level_of_global, array, array, global_rows[0][0][0 : 4])
SHAPE(member, &s.p, s, s.p[0 : 4])
SHAPE(members, &s.p, s, s.p[0 : 4], s.q[0 : 4])
SHAPE(member_of_local, &s.p, local_s[0 : 1], local_s->p[0 : 4])
SHAPE(member_of_global, &s.p, global_s[0 : 1], global_s->p[0 : 4])
SHAPE(element_of_member, &s.rows[0], s, s.rows[0][0 : 4])
SHAPE(element_of_member_of_local, &s.rows[0], local_s[0 : 1], local_s->rows[0][0 : 4])
SHAPE(second_level_of_struct, &s.t, s, s.t->p[0 : 4])
SHAPE(second_level_of_pointee, &t.p, t, local_s->t->p[0 : 4])
SHAPE(global_pointer, &global, global, global[0][0 : 4])

/// The region's base pointers are its own: its mappings do not touch the mappings around it.
static void regions(void) {
  for (int i = 0; i < 2; i++) {
#pragma omp target map(tofrom : array[0][0 : 4])
    {
      HERE();
      array[0][0]++;
    }
#pragma omp target map(tofrom : s.p[0 : 4])
    {
      HERE();
      s.p[0]++;
    }
    CHECK_EQ(a[0], 2 * i + 2);
    CHECK(!is_there(a) && is_there(array) == i && is_there(&s) == i);
#pragma omp target enter data map(to : array, s)
  }
#pragma omp target map(tofrom : array[0][0 : 4], s.p[0 : 4])
  {
    HERE();
    array[0][0]++;
    s.p[0]++;
  }
#pragma omp target exit data map(release : array, s)
  CHECK(is_there(array) && is_there(&s));
#pragma omp target exit data map(release : array[0][0 : 4], s.p[0 : 4])
  CHECK(!is_there(a) && is_there(array) && is_there(&s));
#pragma omp target exit data map(release : array, s)
  CHECK(!is_there(array) && !is_there(&s));
}

int main(void) {
  element(), elements(), element_of_local(), element_of_global();
  third_level_of_local(), third_level_of_global();
  member(), members(), member_of_local(), member_of_global();
  element_of_member(), element_of_member_of_local();
  second_level_of_struct(), second_level_of_pointee(), global_pointer();
  regions();
  return finish();
}
