// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A memory routine that fails says so by its result, and why on stderr; the program goes on.

// RUN: %clang -fopenmp-extensions %s -o %t
// RUN: %run %t 2>&1 | %check
// UNSUPPORTED: runtime-llvm

#include "check.h"

int main(void) {
  const int device = omp_get_default_device();
  int x = 1;
  void *target = omp_target_alloc(8, device);
  // CHECK: omptarget error: host address 0x{{[0-9a-f]+}} is not associated with memory of device 0{{$}}
  // CHECK-NEXT: omptarget error: in omp_target_disassociate_ptr, called
  CHECK(omp_target_disassociate_ptr(&x, device) != 0);
  CHECK_EQ(omp_target_associate_ptr(&x, target, 4, 0, device), 0);
  // CHECK: omptarget error: host address 0x{{[0-9a-f]+}} (8 bytes) is present on device 0 already
  // CHECK-NEXT: omptarget error: in omp_target_associate_ptr, called
  CHECK(omp_target_associate_ptr(&x, target, 8, 0, device) != 0);
  // CHECK: omptarget error: the destination of a copy of 4 bytes is null
  // CHECK-NEXT: omptarget error: in omp_target_memcpy, called
  CHECK(omp_target_memcpy(0, &x, 4, 0, 0, device, device) != 0);
  // CHECK: omptarget error: {{.*}} cannot allocate {{[0-9]+}} bytes
  // CHECK-NEXT: {{.*}}in omp_target_alloc, called
  CHECK(!omp_target_alloc((size_t)-1 / 2, device));
  // CHECK: omptarget error: {{.*}} cannot allocate 18446744073709551615 bytes
  // CHECK-NEXT: {{.*}}in omp_target_alloc, called
  CHECK(!omp_target_alloc((size_t)-1, device));
  // Held while a region holds it, and the same memory is free again afterwards.
#pragma omp target data map(ompx_hold, to : x)
  {
    // CHECK: omptarget error: host address 0x{{[0-9a-f]+}} is associated with memory of device 0 and held by a construct{{$}}
    // CHECK-NEXT: omptarget error: in omp_target_disassociate_ptr, called
    CHECK(omp_target_disassociate_ptr(&x, device) != 0);
  }
  CHECK_EQ(omp_target_disassociate_ptr(&x, device), 0);
  omp_target_free(target, device);
  return finish();
}
