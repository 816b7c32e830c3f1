// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// enter data and exit data: counts, release, delete, sections of what is present.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

#define N 32
static int a[N];

static void add_on_device(int value) {
#pragma omp target map(tofrom : a)
  {
    HERE();
    for (int i = 0; i < N; i++)
      a[i] += value;
  }
}

int main(void) {
#pragma omp target enter data map(to : a)
#pragma omp target enter data map(to : a) // only counts
  add_on_device(5);
  CHECK_EQ(a[0], 0);
#pragma omp target exit data map(from : a)
  CHECK_EQ(a[0], 0);
  CHECK(omp_target_is_present(a, 0));
#pragma omp target exit data map(from : a)
  CHECK_EQ(a[0], 5);
  CHECK(!omp_target_is_present(a, 0));

#pragma omp target enter data map(to : a)
  add_on_device(100);
#pragma omp target exit data map(release : a)
  CHECK_EQ(a[0], 5);
  CHECK(!omp_target_is_present(a, 0));

  for (int i = 0; i < 5; i++) {
#pragma omp target enter data map(alloc : a)
  }
#pragma omp target exit data map(delete : a)
  CHECK(!omp_target_is_present(a, 0));
#pragma omp target exit data map(delete : a) // absent: nothing to do
#pragma omp target exit data map(from : a)
#pragma omp target exit data map(release : a)
  CHECK_EQ(a[0], 5);

#pragma omp target enter data map(to : a)
  add_on_device(1);
#pragma omp target exit data map(from : a[4 : 4]) // the last reference: copies its own section, removes the whole
  CHECK_EQ(a[3], 5);
  CHECK_EQ(a[4], 6);
  CHECK_EQ(a[7], 6);
  CHECK_EQ(a[8], 5);
  CHECK(!omp_target_is_present(a, 0));
  return finish();
}
