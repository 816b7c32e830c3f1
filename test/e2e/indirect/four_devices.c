// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four devices at once: each calls its own version, also from threads.

// RUN: %indirect-clang %s -o %t
// RUN: %run %t
// REQUIRES: runtime-omptarget

#include "indirect_check.h"

#pragma omp declare target
int device_number;
#pragma omp end declare target
static int number(int x) { return device_number * 100 + x + side(); }
OMPTARGET_INDIRECT(number)

int main(void) {
  int (*function)(int) = number;
  int results[4][16] = {{0}};
  CHECK_EQ(omp_get_num_devices(), 4);
  for (int device = 0; device < 4; device++) {
    device_number = device + 1;
#pragma omp target update to(device_number) device(device)
  }
#pragma omp parallel for num_threads(4)
  for (int device = 0; device < 4; device++)
    for (int round = 0; round < 50; round++) {
      int *result = results[device];
#pragma omp target parallel for device(device) map(from : result[0 : 16]) firstprivate(function)
      for (int i = 0; i < 16; i++)
        result[i] = OMPTARGET_TRANSLATE(function)(i);
    }
  for (int device = 0; device < 4; device++)
    for (int i = 0; i < 16; i++)
      CHECK_EQ(results[device][i], (device + 1) * 100 + i + ON_DEVICE);
  return finish();
}
