// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's predefined allocators and memory spaces of the default device, for which libomp calls this library.

// RUN: %clang -fopenmp-version=51 %s %prefix/lib/libomptarget.so -o %t
// RUN: %run %t 2>&1 | %check --implicit-check-not=omptarget
// UNSUPPORTED: runtime-llvm
// CHECK: ok

#include "check.h"

int omp_target_is_accessible(const void *, size_t, int);

/// The predefined allocators of LLVM, which take the default device.
int main(void) {
  int *pinned = omp_alloc(4, llvm_omp_target_host_mem_alloc), *shared = omp_alloc(4, llvm_omp_target_shared_mem_alloc),
      *there = omp_alloc(4, llvm_omp_target_device_mem_alloc);
  CHECK(pinned && shared && there);
  const int device = omp_get_default_device();
  CHECK(omp_target_is_accessible(pinned, 4, device));
  CHECK(omp_target_is_accessible(shared, 4, device));
  *pinned = 3;
#pragma omp target is_device_ptr(pinned, shared, there)
  {
    HERE();
    *there = *pinned;
    *shared = *there + 1;
  }
  CHECK_EQ(*shared, 4);
  omp_free(pinned, llvm_omp_target_host_mem_alloc);
  omp_free(shared, llvm_omp_target_shared_mem_alloc);
  omp_free(there, llvm_omp_target_device_mem_alloc);
  const omp_allocator_handle_t own = omp_init_allocator(llvm_omp_target_shared_mem_space, 0, NULL);
  int *mine = omp_alloc(4, own);
  CHECK(mine != NULL);
#pragma omp target is_device_ptr(mine)
  *mine = 5;
  CHECK_EQ(*mine, 5);
  omp_free(mine, own);
  omp_destroy_allocator(own);
  return finish();
}
