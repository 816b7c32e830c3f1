// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory spaces and allocators of devices (OpenMP 6.0, chapter 27) on libomp 23, which asks this library for them.
// Their memory is used in regions as it is, on every device and on the host. Other spaces are null, as without them.

// REQUIRES: clang-23
// UNSUPPORTED: libomp-loads-here, runtime-llvm
// RUN: %clang -fopenmp-version=60 %s %llvmfolder/lib/libomp.so %prefix/lib/libomptarget.so -o %t
// RUN: %run %t 2>&1 | %check --implicit-check-not=omptarget
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t wrong 2>&1 | %FileCheck %s --check-prefix=WRONG

// CHECK: ok
// WRONG: omptarget error: Device number '77' out of range
// WRONG-NEXT: in omp_get_devices_memspace, called
// WRONG: omptarget error: 0x{{[0-9a-f]+}} was not allocated in a memory space of devices
// WRONG-NEXT: in omp_free, called
// WRONG: null

#include "check.h"

#include <stdint.h>
#include <string.h>

int omp_target_is_accessible(const void *, size_t, int);

enum { kLength = 1000 };
static int devices, host;

/// Everybody reads and writes it where it is.
static void use_memory(omp_allocator_handle_t allocator, int device) {
  int *a = omp_alloc(kLength * sizeof(int), allocator), *zeros = omp_calloc(kLength, sizeof(int), allocator);
  CHECK(a && zeros && allocator != omp_null_allocator);
  if (!a || !zeros)
    return;
  CHECK_EQ((uintptr_t)a % 256, 0);
  CHECK_EQ((uintptr_t)omp_target_is_accessible(a, kLength * sizeof(int), device), 1);
  CHECK_EQ((uintptr_t)omp_target_is_accessible(a + kLength - 1, sizeof(int), device), 1);
  CHECK(!omp_target_is_present(a, device) || device == host);
  for (int i = 0; i < kLength; i++)
    a[i] = i;
#pragma omp target device(device) is_device_ptr(a, zeros)
  for (int i = 0; i < kLength; i++)
    zeros[i] += a[i] + 1;
#pragma omp target device(device) has_device_addr(a[0 : kLength])
  a[0] = 7;
#pragma omp target device(device)
  a[1] = 8;
  CHECK_EQ(a[0], 7);
  CHECK_EQ(a[1], 8);
  for (int i = 0; i < kLength; i++)
    CHECK_EQ(zeros[i], i + 1);
  omp_free(a, allocator);
  omp_free(zeros, allocator);
}

static void spaces_of_one_device(int device) {
  static const omp_memspace_handle_t kinds[] = {omp_default_mem_space, omp_large_cap_mem_space,
                                                llvm_omp_target_shared_mem_space};
  for (int i = 0; i < 3; i++) {
    const omp_memspace_handle_t space = omp_get_device_memspace(device, kinds[i]);
    CHECK(space != omp_null_mem_space);
    CHECK(space == omp_get_device_memspace(device, kinds[i]));
    CHECK(omp_get_device_and_host_memspace(device, kinds[i]) == space);
    CHECK_EQ(omp_get_memspace_num_resources(space), 1);
    int first = 0;
    CHECK(omp_get_submemspace(space, 1, &first) == space);
    const omp_allocator_handle_t own = omp_init_allocator(space, 0, NULL);
    use_memory(own, device);
    omp_destroy_allocator(own);
    use_memory(omp_get_device_allocator(device, kinds[i]), device);
    use_memory(omp_get_device_and_host_allocator(device, kinds[i]), device);
  }
  CHECK(omp_get_device_memspace(device, omp_const_mem_space) == omp_null_mem_space);
  CHECK(omp_get_device_memspace(device, omp_high_bw_mem_space) == omp_null_mem_space);
  CHECK(omp_get_device_allocator(device, omp_low_lat_mem_space) == omp_null_allocator);
  CHECK(omp_get_device_allocator(device, llvm_omp_target_device_mem_space) == omp_null_allocator);
}

/// One block, which all devices change in turn.
static void spaces_of_all_devices(void) {
  int numbers[64];
  for (int i = 0; i < devices; i++)
    numbers[i] = devices - 1 - i;
  CHECK(omp_get_devices_memspace(devices, numbers, omp_default_mem_space) ==
        omp_get_devices_all_memspace(omp_default_mem_space));
  const omp_allocator_handle_t allocator = omp_get_devices_all_allocator(omp_default_mem_space);
  int *sum = omp_alloc(sizeof(int), allocator);
  CHECK(sum != NULL);
  *sum = 1;
  for (int i = 0; i < devices; i++) {
#pragma omp target device(i) is_device_ptr(sum)
    {
      HERE();
      *sum *= 2;
    }
  }
  CHECK_EQ(*sum, 1 << devices);
  omp_free(sum, allocator);
  use_memory(omp_get_devices_and_host_allocator(devices, numbers, omp_large_cap_mem_space), devices - 1);
}

static int wrong_arguments(void) {
  int *a = omp_alloc(64, omp_get_device_allocator(0, omp_default_mem_space));
  const int is_null = omp_get_device_memspace(77, omp_default_mem_space) == omp_null_mem_space;
  omp_free(a + 1, omp_get_device_allocator(0, omp_default_mem_space));
  omp_free(a, omp_get_device_allocator(0, omp_default_mem_space));
  fprintf(stderr, is_null ? "null\n" : "not null\n");
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1)
    return wrong_arguments();
  devices = omp_get_num_devices();
  host = omp_get_initial_device();
  for (int device = 0; device <= devices; device++)
    spaces_of_one_device(device);
  spaces_of_all_devices();
  return finish();
}
