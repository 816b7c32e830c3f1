// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ompx_dump_mapping_tables prints what is present on each device to stdout: addresses, sizes, both counts, the
// declaration.

// RUN: %clang -g -fopenmp-extensions %s %prefix/lib/libomptarget.so -o %t
// RUN: %run %t | %check
// UNSUPPORTED: runtime-llvm

// Nothing is known before the first region; an empty table is printed for each device after it.
// CHECK: begin
// CHECK-NEXT: devices
// CHECK: omptarget device 0 info: OpenMP Host-Device pointer mappings table empty
// CHECK-NEXT: omptarget device 1 info: OpenMP Host-Device pointer mappings table empty
// CHECK-NEXT: omptarget device 2 info: OpenMP Host-Device pointer mappings table empty
// CHECK-NEXT: omptarget device 3 info: OpenMP Host-Device pointer mappings table empty

// CHECK-NEXT: mapped
// CHECK-NEXT: omptarget device 0 info: OpenMP Host-Device pointer mappings after block at libomptarget:0:0:
// CHECK-NEXT: omptarget device 0 info: Host Ptr           Target Ptr         Size (B) DynRefCount HoldRefCount Declaration
// CHECK-DAG: omptarget device 0 info: 0x{{[0-9a-f]+}} 0x{{[0-9a-f]+}} 40       2           0            numbers at {{.*}}dump_tables.c:[[@LINE+17]]:
// CHECK-DAG: omptarget device 0 info: 0x{{[0-9a-f]+}} 0x{{[0-9a-f]+}} 3        0           1            letters at {{.*}}dump_tables.c:[[@LINE+17]]:
// CHECK: omptarget device 1 info: OpenMP Host-Device pointer mappings table empty
// CHECK-NEXT: omptarget device 2 info: OpenMP Host-Device pointer mappings after block at libomptarget:0:0:
// CHECK-NEXT: omptarget device 2 info: Host Ptr
// CHECK-NEXT: omptarget device 2 info: 0x{{[0-9a-f]+}} 0x{{[0-9a-f]+}} 8        INF         0            unknown at unknown:0:0
// CHECK-NEXT: omptarget device 3 info: OpenMP Host-Device pointer mappings table empty
// CHECK-NEXT: unmapped
// CHECK-NEXT: omptarget device 0 info: OpenMP Host-Device pointer mappings table empty
// CHECK-NEXT: omptarget device 1 info
// CHECK-NEXT: omptarget device 2 info: OpenMP Host-Device pointer mappings table empty
// CHECK-NOT: omptarget device {{[0-24-9]}}

#include "check.h"

void ompx_dump_mapping_tables(void);

static int numbers[10];
static char letters[3];
static double associated;

int main(void) {
  printf("begin\n");
  ompx_dump_mapping_tables();
  CHECK_EQ(omp_get_num_devices(), 4);
  printf("devices\n");
  for (int device = 0; device < 4; device++) {
#pragma omp target device(device)
    HERE();
  }
  ompx_dump_mapping_tables();
  printf("mapped\n");
  void *there = omp_target_alloc(sizeof associated, 2);
  CHECK_EQ(omp_target_associate_ptr(&associated, there, sizeof associated, 0, 2), 0);
#pragma omp target enter data map(to : numbers)
#pragma omp target enter data map(to : numbers)
#pragma omp target data map(ompx_hold, to : letters)
  ompx_dump_mapping_tables();
  printf("unmapped\n");
  CHECK_EQ(omp_target_disassociate_ptr(&associated, 2), 0);
#pragma omp target exit data map(delete : numbers)
  ompx_dump_mapping_tables();
  omp_target_free(there, 2);
  return finish();
}
