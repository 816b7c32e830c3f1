// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that uses freed memory, and the report that the settings ask for. NVIDIA's driver does not tell the address.
// RUN: %clang -g %s -o %t
// RUN: %expect-abort OFFLOAD_TRACK_ALLOCATION_TRACES=1 OFFLOAD_TRACK_NUM_KERNEL_LAUNCH_TRACES=4 %t 2>&1 \
// RUN:   | %FileCheck %s --check-prefixes=%if emulator-amdgpu %{CHECK,ADDRESS%} %else %{CHECK%}

#include "check.h"

int main(void) {
  const int device = omp_get_default_device();
  int sum = 0;
#pragma omp target map(tofrom : sum)
  sum += 1;
  int *const block = omp_target_alloc(4096 * sizeof(int), device);
  omp_target_free(block, device);
// ADDRESS: is byte 20 of a block of 16384 bytes at {{.*}}, which is free. It was freed by
// ADDRESS: main at {{.*}}fault_traces.c:[[#@LINE-2]]
// ADDRESS: and allocated by
// ADDRESS: main at {{.*}}fault_traces.c:[[#@LINE-5]]
// CHECK: device 0: the last 2 kernels, the newest first
// CHECK-NEXT: kernel 0: __omp_offloading_{{.*}} in main, line [[#@LINE+6]] ({{.*}}), launched by
// CHECK-NEXT: #0 __tgt_target_kernel
// CHECK-NEXT: #1 main at {{.*}}fault_traces.c
// CHECK-NEXT: kernel 1: __omp_offloading_{{.*}} in main, line [[#@LINE-12]] ({{.*}}), {{.*}}launched by
// CHECK: omptarget error: {{.*}} failed on device 0
//
#pragma omp target is_device_ptr(block) map(tofrom : sum)
  sum += block[5];
  return finish();
}
