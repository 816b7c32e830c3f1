// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// use_device_ptr, use_device_addr and is_device_ptr, with memory mapped and memory of omp_target_alloc.

// RUN: %clang %s -o %t
// RUN: %run %t

#include "check.h"

#define N 50

int main(void) {
  int a[N], *p = a;
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma omp target data map(tofrom : p[0 : N])
  {
    int *on_device = 0, *by_addr = 0;
#pragma omp target data use_device_ptr(p)
    on_device = p;
#pragma omp target data use_device_addr(a)
    by_addr = a;
    CHECK(on_device != a);
    CHECK(on_device == by_addr);
    CHECK(p == a);
#pragma omp target is_device_ptr(on_device)
    {
      HERE();
      for (int i = 0; i < N; i++)
        on_device[i] += 100;
    }
  }
  CHECK_EQ(a[0], 100);
  CHECK_EQ(a[N - 1], 100 + N - 1);

#pragma omp target data map(tofrom : p[10 : 20]) use_device_ptr(p)
  {
    CHECK(p != a);
#pragma omp target is_device_ptr(p)
    {
      HERE();
      p[10] = -1;
    }
  }
  CHECK(p == a);
  CHECK_EQ(a[10], -1);

  int device = omp_get_default_device(), host = omp_get_initial_device(), back[N];
  int *memory = omp_target_alloc(N * sizeof(int), device);
  CHECK(memory != 0);
  CHECK_EQ(omp_target_memcpy(memory, a, N * sizeof(int), 0, 0, device, host), 0);
#pragma omp target is_device_ptr(memory)
  {
    HERE();
    for (int i = 0; i < N; i++)
      memory[i] *= 2;
  }
  CHECK_EQ(omp_target_memcpy(back, memory, (N - 1) * sizeof(int), 0, sizeof(int), host, device), 0);
  for (int i = 0; i < N - 1; i++)
    CHECK_EQ(back[i], 2 * a[i + 1]);
  omp_target_free(memory, device);
  return finish();
}
