// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data regions: what is present stays on the device until the last region ends.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

#define N 64

static void set_on_device(int *a, int value) {
#pragma omp target map(tofrom : a[0 : N])
  {
    HERE();
    for (int i = 0; i < N; i++)
      a[i] = value + i;
  }
}

int main(void) {
  int a[N], b[N];
  for (int i = 0; i < N; i++)
    a[i] = b[i] = -1;
#pragma omp target data map(tofrom : a) map(to : b)
  {
    CHECK(omp_target_is_present(a, 0));
    CHECK(omp_target_is_present(&a[N - 1], 0));
    CHECK(omp_get_num_devices() < 2 || !omp_target_is_present(a, 1));
    set_on_device(a, 100);
    set_on_device(b, 200);
    CHECK_EQ(a[3], -1); // not copied back: the outer region holds it
#pragma omp target update from(a[2 : 2])
    CHECK_EQ(a[1], -1);
    CHECK_EQ(a[2], 102);
    CHECK_EQ(a[3], 103);
    CHECK_EQ(a[4], -1);
    a[10] = 5000;
#pragma omp target update to(a[10 : 1])
    int seen = 0;
#pragma omp target map(from : seen)
    {
      HERE();
      seen = a[10] + a[11];
    }
    CHECK_EQ(seen, 5000 + 111);
#pragma omp target data map(from : a)
    { CHECK_EQ(a[20], -1); }
    CHECK_EQ(a[20], -1);
  }
  for (int i = 0; i < N; i++)
    CHECK_EQ(a[i], i == 10 ? 5000 : 100 + i);
  CHECK_EQ(b[7], -1);
  CHECK(!omp_target_is_present(a, 0));
  CHECK(!omp_target_is_present(b, 0));

  int condition = 0;
#pragma omp target data map(tofrom : a) if (condition)
  { CHECK(!omp_target_is_present(a, 0)); }
  return finish();
}
