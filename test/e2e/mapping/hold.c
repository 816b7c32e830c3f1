// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ompx_hold: data that a structured region holds stay present whatever happens inside it.

// RUN: %clang -fopenmp-extensions %s -o %t
// RUN: %run %t

#include "check.h"

static int is_there(void *p) { return omp_target_is_present(p, omp_get_default_device()); }

int main(void) {
  int a[10] = {0}, *p = malloc(5 * sizeof(int));
  p[4] = 1;
#pragma omp target data map(ompx_hold, tofrom : a) map(ompx_hold, tofrom : p[0 : 5])
  {
#pragma omp target enter data map(to : a)
#pragma omp target exit data map(delete : a)
    CHECK(is_there(a));
#pragma omp target exit data map(delete : a, p[0 : 5])
    CHECK(is_there(a) && is_there(p));
#pragma omp target data map(ompx_hold, from : a)
    {
#pragma omp target
      {
        HERE();
        a[9] = 5;
        p[4] = 6;
      }
    }
    CHECK(is_there(a));
    CHECK_EQ(a[9], 0);
  }
  CHECK(!is_there(a) && !is_there(p));
  CHECK_EQ(a[9], 5);
  CHECK_EQ(p[4], 6);
#pragma omp target enter data map(to : a)
#pragma omp target data map(ompx_hold, to : a)
  {}
  CHECK(is_there(a)); // the dynamic reference is left
#pragma omp target exit data map(release : a)
  CHECK(!is_there(a));
  free(p);
  return finish();
}
