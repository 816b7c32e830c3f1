// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A memory routine that fails says so by its result, and why on stderr; the program goes on.

// RUN: %clang -fopenmp-extensions %s %prefix/lib/libomptarget.so -o %t
// RUN: %run %t 2>&1 | %check
// UNSUPPORTED: runtime-llvm

#include "check.h"

#include <stdint.h>

void *omp_target_memset(void *, int, size_t, int);
int omp_target_memcpy_async(void *, const void *, size_t, size_t, size_t, int, int, int, omp_depend_t *);
int omp_target_memcpy_rect_async(void *, const void *, size_t, int, const size_t *, const size_t *, const size_t *,
                                 const size_t *, const size_t *, int, int, int, omp_depend_t *);

/// FileCheck reads this file from its begin: main calls it first.
static void check_arguments(int device, void *target, int *x) {
  const int host = omp_get_initial_device();
  const size_t volume[1] = {2}, none[1] = {0}, one[1] = {1};
  // CHECK: omptarget error: the destination of a copy of 4 bytes is null
  // CHECK-NEXT: omptarget error: in omp_target_memcpy_async, called
  CHECK(omp_target_memcpy_async(0, x, 4, 0, 0, device, host, 0, 0) != 0);
  // CHECK: omptarget error: the source of a copy of 4 bytes is null
  // CHECK-NEXT: omptarget error: in omp_target_memcpy_async, called
  CHECK(omp_target_memcpy_async(target, 0, 4, 0, 0, device, host, 0, 0) != 0);
  // CHECK: omptarget error: the list of 3 dependences at (nil) is none
  // CHECK-NEXT: omptarget error: in omp_target_memcpy_async, called
  CHECK(omp_target_memcpy_async(target, x, 4, 0, 0, device, host, 3, 0) != 0);
  // CHECK: omptarget error: the destination of a copy of 18446744073709551615 bytes at offset 0 of 0x{{[0-9a-f]+}} reaches out of the address space
  // CHECK-NEXT: omptarget error: in omp_target_memcpy, called
  CHECK(omp_target_memcpy(target, x, SIZE_MAX, 0, 0, device, host) != 0);
  // CHECK: omptarget error: the destination of a copy of 4 bytes at offset 18446744073709551612 of 0x{{[0-9a-f]+}} reaches out of the address space
  // CHECK-NEXT: omptarget error: in omp_target_memcpy_async, called
  CHECK(omp_target_memcpy_async(target, x, 4, SIZE_MAX - 3, 0, device, host, 0, 0) != 0);
  // CHECK: omptarget error: a rectangle of 2 elements at offset 0 goes past the end of its array: src_dimensions[0] is 1
  // CHECK-NEXT: omptarget error: in omp_target_memcpy_rect, called
  CHECK(omp_target_memcpy_rect(target, x, 4, 1, volume, none, none, volume, one, device, host) != 0);
  // CHECK: omptarget error: a rectangle of 2 elements at offset 1 goes past the end of its array: dst_dimensions[0] is 2
  // CHECK-NEXT: omptarget error: in omp_target_memcpy_rect_async, called
  CHECK(omp_target_memcpy_rect_async(target, x, 4, 1, volume, one, none, volume, volume, device, host, 0, 0) != 0);
  // CHECK: omptarget error: a rectangle of 1 dimensions of elements of 4 bytes, or with a null address, cannot be copied
  // CHECK-NEXT: omptarget error: in omp_target_memcpy_rect_async, called
  CHECK(omp_target_memcpy_rect_async(target, x, 4, 1, volume, 0, none, volume, volume, device, host, 0, 0) != 0);
  // CHECK: omptarget error: a rectangle has 2147483647 dimensions; at most 64 can be copied
  // CHECK-NEXT: omptarget error: in omp_target_memcpy_rect_async, called
  CHECK(omp_target_memcpy_rect_async(target, x, 4, INT32_MAX, volume, none, none, volume, volume, device, host, 0, 0) !=
        0);
  // CHECK: omptarget error: {{[0-9]+}} bytes at host address 0x{{[0-9a-f]+}}, which are to be associated, reach out of the address space
  // CHECK-NEXT: omptarget error: in omp_target_associate_ptr, called
  CHECK(omp_target_associate_ptr(volume, target, SIZE_MAX - 100, 0, device) != 0);
  // CHECK: omptarget error: 4 bytes at offset 18446744073709551615 of 0x{{[0-9a-f]+}} of device 0, which are to be associated, reach out of the address space
  // CHECK-NEXT: omptarget error: in omp_target_associate_ptr, called
  CHECK(omp_target_associate_ptr(volume, target, 4, SIZE_MAX, device) != 0);
}

int main(void) {
  const int device = omp_get_default_device();
  int x = 1;
  void *target = omp_target_alloc(8, device);
  check_arguments(device, target, &x);
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
