// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// has_device_addr: variables whose addresses are a device's already are used as they are, on each device.

// REQUIRES: clang-15-or-later
// RUN: %clang -fopenmp-version=51 %s -o %t
// RUN: %run %t
// LLVM 15's runtime looks the address up, finds nothing and passes null.
// UNSUPPORTED: runtime-llvm-15
// Clang 14 ignores the clause, 15 and 16 heed it for pointers only (docs/use/mapping.md).

#include "check.h"

#define N 16

// A section of what a pointer names.
static void sections(int device) {
  int *p = omp_target_alloc(N * sizeof(int), device), back[N];
#pragma omp target has_device_addr(p[0 : N]) device(device)
  {
    HERE();
    for (int i = 0; i < N; i++)
      p[i] = 3 * i;
  }
  CHECK_EQ(omp_target_memcpy(back, p, sizeof back, 0, 0, omp_get_initial_device(), device), 0);
  for (int i = 0; i < N; i++)
    CHECK_EQ(back[i], 3 * i);
  omp_target_free(p, device);
}

#if __clang_major__ >= 19
// An array that use_device_addr made a device's, and a section of one.
static void arrays(int device) {
  int a[N], b[N];
  for (int i = 0; i < N; i++)
    a[i] = b[i] = i;
#pragma omp target data map(tofrom : a, b) use_device_addr(a, b) device(device)
  {
#pragma omp target has_device_addr(a) device(device)
    {
      HERE();
      for (int i = 0; i < N; i++)
        a[i] += 100 + device;
    }
#pragma omp target has_device_addr(b[2 : 4]) device(device)
    {
      HERE();
      b[2] = -2;
      b[5] = -5;
    }
  }
  for (int i = 0; i < N; i++) {
    CHECK_EQ(a[i], i + 100 + device);
    CHECK_EQ(b[i], i == 2 || i == 5 ? -i : i);
  }
}

// Scalars and structs: what is changed is the device's, not a copy of its own.
static void scalars(int device) {
  int x = 1;
  struct {
    int i;
    double d;
  } s = {2, 3};
#pragma omp target data map(tofrom : x, s) use_device_addr(x, s) device(device)
#pragma omp target has_device_addr(x, s) device(device)
  {
    HERE();
    x += 10;
    s.i = x + 10;
    s.d *= 2;
  }
  CHECK_EQ(x, 11);
  CHECK_EQ(s.i, 21);
  CHECK(s.d == 6);
}

// Beside data that the region maps itself, and with nothing mapped anywhere.
static void beside_mapped_data(int device) {
  int a[N] = {0}, sum = 0;
  int *memory = omp_target_alloc(N * sizeof(int), device);
#pragma omp target data map(tofrom : a) use_device_addr(a) device(device)
#pragma omp target has_device_addr(a) is_device_ptr(memory) map(tofrom : sum) device(device)
  {
    HERE();
    for (int i = 0; i < N; i++)
      memory[i] = a[i] = i;
    for (int i = 0; i < N; i++)
      sum += memory[i];
  }
  CHECK_EQ(sum, N * (N - 1) / 2);
  CHECK_EQ(a[N - 1], N - 1);
  omp_target_free(memory, device);
}
#endif

int main(void) {
  CHECK_EQ(omp_get_num_devices(), 4);
  for (int device = 0; device < omp_get_num_devices(); device++) {
    sections(device);
#if __clang_major__ >= 19
    arrays(device);
    scalars(device);
    beside_mapped_data(device);
#endif
  }
  return finish();
}
