// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of stdlib.h in regions: sorting, searching, division, random numbers and zeroed memory. A program's own
// function of a name is taken instead of the library's.
// REQUIRES: rtl-ours
// Code of clang 16 and 19 for AMD's GPUs is wrong at -O0, or cannot be linked.
// RUN: %if !(emulator-amdgpu && (clang-16 || clang-19)) %{ %clang -D_GNU_SOURCE -O0 %s -o %t.0 && %run %t.0 %}
// RUN: %clang -D_GNU_SOURCE -O2 %s -o %t.2 && %run %t.2
// RUN: %run LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD=0 SIM_EXECUTOR_UNWRITTEN=1 SIM_EXECUTOR_RACES=1 SIM_EXECUTOR_GLOBAL_RACES=1 %t.2 2>&1 | %FileCheck %s
// RUN: %clangxx -O2 -x c++ %s -o %t.cxx && %run %t.cxx

// CHECK-NOT: {{.}}
// CHECK: right
// CHECK-NOT: {{.}}

#include "check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 101
#define THREADS 64

struct entry {
  int key;
  char rest[7];
};

static int compare(const void *left, const void *right) {
  const struct entry *a = (const struct entry *)left, *b = (const struct entry *)right;
  return (a->key > b->key) - (a->key < b->key);
}
static int compare_with(const void *left, const void *right, void *factor) {
  return compare(left, right) * *(int *)factor;
}

// A program's own, which behaves otherwise.
#pragma omp begin declare target
#if defined(__AMDGCN__) || defined(__NVPTX__)
#ifdef __cplusplus
extern "C"
#endif
    int
    rand_r(unsigned *state) {
  return (int)*state + 1;
}
#endif
#pragma omp end declare target

static void sort(void) {
  static struct entry entries[COUNT];
  static int places[COUNT + 1];
  for (int i = 0; i < COUNT; i++) {
    entries[i].key = i * 37 % COUNT * 2;
    memset(entries[i].rest, entries[i].key, sizeof entries[i].rest);
  }
  int descends = -1;
#pragma omp target map(tofrom : entries) map(from : places) map(to : descends)
  {
    qsort(entries, COUNT, sizeof *entries, compare);
    for (int i = 0; i <= COUNT; i++) {
      struct entry key = {i * 2, {0}};
      const void *found = bsearch(&key, entries, COUNT, sizeof *entries, compare);
      places[i] = found ? (int)((const struct entry *)found - entries) : -1;
      key.key++;
      if (bsearch(&key, entries, COUNT, sizeof *entries, compare))
        places[i] = -2;
    }
    qsort(entries, 0, sizeof *entries, compare);
    qsort_r(entries, COUNT, sizeof *entries, compare_with, &descends);
  }
  for (int i = 0; i < COUNT; i++) {
    CHECK_EQ(places[i], i);
    CHECK_EQ(entries[i].key, (COUNT - 1 - i) * 2);
    for (int j = 0; j < 7; j++)
      CHECK_EQ(entries[i].rest[j], (char)entries[i].key);
  }
  CHECK_EQ(places[COUNT], -1);
}

static void divide(void) {
  long results[12], expected[12];
#define DIVIDE(r, a, b)                                                                                                \
  do {                                                                                                                 \
    const div_t q = div(a, b);                                                                                         \
    const ldiv_t l = ldiv(a, b);                                                                                       \
    const lldiv_t ll = lldiv(a * 10000000000ll, b);                                                                    \
    const imaxdiv_t m = imaxdiv(a, b);                                                                                 \
    r[0] = q.quot, r[1] = q.rem, r[2] = l.quot, r[3] = l.rem, r[4] = ll.quot, r[5] = ll.rem, r[6] = m.quot;            \
    r[7] = m.rem, r[8] = abs(a), r[9] = labs(a * 10000000000l), r[10] = llabs(a), r[11] = imaxabs(a);                  \
  } while (0)
  int a = -47, b = 10;
  DIVIDE(expected, a, b);
#pragma omp target map(from : results) map(tofrom : a, b)
  DIVIDE(results, a, b);
  for (int i = 0; i < 12; i++)
    CHECK_EQ(results[i], expected[i]);
}

static void draw(void) {
  static int seeded[THREADS][4], again[THREADS], unseeded[THREADS], reentrant[THREADS];
#pragma omp target teams distribute parallel for thread_limit(32) map(from : seeded, again, unseeded, reentrant)
  for (int i = 0; i < THREADS; i++) {
    unseeded[i] = rand();
    srand(5);
    for (int j = 0; j < 4; j++)
      seeded[i][j] = rand();
    srand(5);
    again[i] = rand();
    unsigned state = 5;
    reentrant[i] = rand_r(&state);
  }
  int equal = 0;
  for (int i = 0; i < THREADS; i++) {
    CHECK_EQ(again[i], seeded[0][0]);
    CHECK_EQ(reentrant[i], 6);
    for (int j = 0; j < 4; j++) {
      CHECK_EQ(seeded[i][j], seeded[0][j]);
      CHECK(seeded[i][j] >= 0);
      CHECK(j == 0 || seeded[i][j] != seeded[i][j - 1]);
    }
    for (int j = 0; j < i; j++)
      equal += unseeded[i] == unseeded[j];
  }
  CHECK_EQ(equal, 0);
}

static void allocate(void) {
  static int bad[THREADS];
  int without = 0;
#pragma omp target teams distribute parallel for thread_limit(32) map(from : bad)
  for (int i = 0; i < THREADS; i++) {
    char *used = (char *)malloc(64);
    memset(used, 1, 64);
    free(used);
    char *zeros = (char *)calloc(16, 4);
    bad[i] = zeros == NULL;
    for (int j = 0; j < 64; j++)
      bad[i] += zeros[j] != 0;
    free(zeros);
    char *text = strdup("text");
    bad[i] += strcmp(text, "text") != 0;
    free(text);
  }
#pragma omp target map(tofrom : without)
  {
    volatile size_t huge = (size_t)-1 / 2;
    without = calloc(huge, 4) == NULL;
  }
  for (int i = 0; i < THREADS; i++)
    CHECK_EQ(bad[i], 0);
  CHECK_EQ(without, 1);
}

int main(void) {
  sort();
  divide();
  draw();
  allocate();
  if (failed_checks == 0)
    printf("right\n");
  return failed_checks != 0;
}
