// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The four host devices: numbers, memory, and globals of their own.

// RUN: %clang %s -o %t
// RUN: %run %t
// On a machine whose devices do not reach one another's memory.
// RUN: %run SIM_CUDA_NO_PEERS=1 SIM_HSA_NO_PEERS=1 %t

#include "check.h"

#pragma omp declare target
int global = 10;
int list[3] = {1, 2, 3};
int take(void) { return global++; }
#pragma omp end declare target

int main(void) {
  CHECK_EQ(omp_get_num_devices(), 4);
  CHECK_EQ(omp_get_initial_device(), 4);
  int a[4] = {0, 0, 0, 0};
  for (int d = 0; d < 4; d++) {
#pragma omp target enter data map(to : a) device(d)
    for (int times = 0; times <= d; times++) {
#pragma omp target map(tofrom : a) device(d)
      {
        HERE();
        a[d] += take();
        list[0] += d;
      }
    }
    CHECK(omp_target_is_present(a, d));
    for (int later = d + 1; later < 4; later++)
      CHECK(!omp_target_is_present(a, later));
  }
  int wanted[4] = {10, 21, 33, 46}; // each starts with a global of 10
  for (int d = 3; d >= 0; d--) {
    global = list[0] = -1;
#pragma omp target update from(global, list) device(d)
    CHECK_EQ(global, 10 + d + 1);
    CHECK_EQ(list[0], 1 + d * (d + 1));
    a[d] = -1;
#pragma omp target exit data map(from : a) device(d)
    CHECK_EQ(a[d], wanted[d]);
  }

  // Device to device, and back.
  int device = 0, *m[4], back = 0;
  for (; device < 4; device++)
    m[device] = omp_target_alloc(sizeof(int), device);
  int *memory = m[1];
#pragma omp target device(1) is_device_ptr(memory)
  *memory = 77;
  for (int d = 0; d < 4; d++)
    for (int other = 0; other < d; other++)
      CHECK(m[d] != 0 && m[d] != m[other]);
  CHECK_EQ(omp_target_memcpy(m[3], m[1], sizeof(int), 0, 0, 3, 1), 0);
  CHECK_EQ(omp_target_memcpy(&back, m[3], sizeof(int), 0, 0, omp_get_initial_device(), 3), 0);
  CHECK_EQ(back, 77);
  for (int d = 0; d < 4; d++)
    omp_target_free(m[d], d);
  return finish();
}
