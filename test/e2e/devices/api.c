// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Routines that ask the runtime about devices, and memory of omp_target_alloc.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

#include <string.h>

int main(void) {
  int n = omp_get_num_devices(), host = omp_get_initial_device();
  CHECK_EQ(n, 4);
  CHECK_EQ(host, n);
  CHECK(omp_is_initial_device());
#if __clang_major__ >= 15
  CHECK_EQ(omp_get_device_num(), host);
#endif
  CHECK(omp_target_alloc(0, 0) == 0);
  char text[] = "0123456789", back[11] = "..........";
  for (int d = 0; d <= n; d++) { // the initial device as well
    char *p = omp_target_alloc(sizeof text, d);
    CHECK(p != 0);
    CHECK_EQ(omp_target_memcpy(p, text, sizeof text, 0, 0, d, host), 0);
    CHECK_EQ(omp_target_memcpy(back, p, 4, 2, 6, host, d), 0);
    CHECK(memcmp(back, "..6789....", 10) == 0);
    memset(back, '.', 10);
    CHECK_EQ(omp_target_memcpy(p, text, 0, 0, 0, d, host), 0);
    omp_target_free(p, d);
  }
  omp_target_free(0, 0);
  CHECK(!omp_target_is_present(text, 0));
  CHECK(omp_target_is_present(text, host));
#pragma omp target data map(to : text[2 : 4])
  {
    CHECK(omp_target_is_present(&text[2], 0));
    CHECK(omp_target_is_present(&text[5], 0));
    CHECK(!omp_target_is_present(&text[0], 0));
    CHECK(!omp_target_is_present(&text[6], 0));
    CHECK(!omp_target_is_present(&text[2], 1));
  }
  size_t large = (size_t)64 << 20;
  char *p = omp_target_alloc(large, 0);
  CHECK(p != 0);
#pragma omp target is_device_ptr(p)
  {
    HERE();
    p[0] = p[large - 1] = 1;
  }
  omp_target_free(p, 0);
  return finish();
}
