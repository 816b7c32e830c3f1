// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory is freed with the number of another device, or of the host. It is reported, and the memory can be used and freed
// as before. Each routine frees memory of all kinds.

// RUN: %clang %s -o %t
// RUN: %run %t 2>&1 | %check
// REQUIRES: runtime-omptarget
// LLVM 14 and 15 have no routines that free memory of one kind.
// REQUIRES: clang-16-or-later

#include "check.h"

void *llvm_omp_target_alloc_host(size_t size, int device);
void *llvm_omp_target_alloc_shared(size_t size, int device);
void llvm_omp_target_free_host(void *block, int device);
void llvm_omp_target_free_shared(void *block, int device);

typedef void *Allocate(size_t size, int device);
typedef void Free(void *block, int device);

static void use(char *block, int device) {
  char value = 5, result = 0;
  const int host = omp_get_initial_device();
  CHECK_EQ(omp_target_memcpy(block, &value, 1, 0, 0, device, host), 0);
  CHECK_EQ(omp_target_memcpy(&result, block, 1, 0, 0, host, device), 0);
  CHECK_EQ(result, 5);
}

int main(void) {
  Allocate *const allocate[] = {omp_target_alloc, llvm_omp_target_alloc_host, llvm_omp_target_alloc_shared};
  Free *const release[] = {llvm_omp_target_free_host, llvm_omp_target_free_shared, omp_target_free};
  const int device = omp_get_default_device(), host = omp_get_initial_device();
#pragma omp target
  HERE();
  for (int i = 0; i < 3; i++)
    for (size_t size = 100; size <= 10000000; size *= 100000) {
      char *const block = allocate[i](size, device);
      CHECK(block != 0);
      // CHECK-COUNT-6: omptarget error: the memory at 0x{{[0-9a-f]+}} is that of device 0, and cannot be freed on the host
      release[i](block, host);
      use(block, device);
      release[i](block, device);
    }
  // CHECK: omptarget error: the memory at 0x{{[0-9a-f]+}} is that of the host, and cannot be freed on device 0
  char *const block = omp_target_alloc(100, host);
  omp_target_free(block, device);
  block[99] = 1;
  omp_target_free(block, host);
  // CHECK-NOT: the memory at
  return finish();
}
