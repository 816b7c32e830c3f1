// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel uses freed memory. With the settings the report tells where the memory was allocated and freed, and where
// the last kernels were launched.

// REQUIRES: emulator-amdgpu
// RUN: %clang -g %s -o %t -ldl
// RUN: %expect-abort OFFLOAD_TRACK_ALLOCATION_TRACES=1 OFFLOAD_TRACK_NUM_KERNEL_LAUNCH_TRACES=2 %t 2>&1 | %check
// RUN: %expect-abort OFFLOAD_TRACK_NUM_KERNEL_LAUNCH_TRACES=1 %t 2>&1 | %check --check-prefix=LAUNCHES
// RUN: %expect-abort OFFLOAD_TRACK_ALLOCATION_TRACES=1 %t 2>&1 | %check --check-prefix=BLOCKS
// RUN: %expect-abort %t 2>&1 | %check --check-prefix=NONE
// RUN: %expect-abort OFFLOAD_TRACK_NUM_KERNEL_LAUNCH_TRACES=-1 %t 2>&1 | %check --check-prefix=NONSENSE

#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

static void fail_at(uint64_t address) {
  void *driver = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD);
  void (*fault)(uint64_t, uint32_t) = (void (*)(uint64_t, uint32_t))dlsym(driver, "sim_hsa_memory_fault");
  fault(address, 1);
}

static __attribute__((noinline)) char *make(void) {
  char *const block = omp_target_alloc(100000, omp_get_default_device());
  printf("made %d\n", block != 0);
  return block;
}

static __attribute__((noinline)) void drop(char *block) {
  omp_target_free(block, omp_get_default_device());
  printf("dropped\n");
}

int main(void) {
  int good = 0;
  for (int i = 0; i < 3; ++i) {
#pragma omp target map(tofrom : good)
    good++;
  }
  printf("good: %d\n", good);
  char *const block = make();
  drop(block);
  const uint64_t address = (uint64_t)(uintptr_t)block + 16;
  fflush(stdout);
// CHECK: good: 3
// CHECK: omptarget note: device 0: [[ADDRESS:0x[0-9a-f]+]] is byte 16 of a block of 100000 bytes at {{.*}}, which is free. It was freed by
// CHECK-NEXT: #0 omp_target_free
// CHECK: drop at {{.*}}fault_traces.c:[[#@LINE-18]]
// CHECK-NEXT: main at {{.*}}fault_traces.c:[[#@LINE-7]]
// CHECK-NEXT: and allocated by
// CHECK-NEXT: #0 omp_target_alloc
// CHECK: make at {{.*}}fault_traces.c:[[#@LINE-28]]
// CHECK: omptarget note: device 0: the last 2 kernels, the newest first
// CHECK-NEXT: kernel 0: __omp_offloading_{{.*}} in main, line [[#@LINE+17]] ({{.*}}), launched by
// CHECK-NEXT: #0 __tgt_target
// CHECK-NEXT: #1 main at {{.*}}fault_traces.c
// CHECK-NEXT: kernel 1: __omp_offloading_{{.*}} in main, line [[#@LINE-20]] ({{.*}}), launched by
// CHECK-NOT: kernel 2:
// CHECK: omptarget error: {{.*}}failed on device 0: memory fault at address [[ADDRESS]]
// LAUNCHES-NOT: which is free
// LAUNCHES: the last 1 kernels
// LAUNCHES: kernel 0: {{.*}} in main, line [[#@LINE+9]]
// LAUNCHES-NOT: kernel 1:
// BLOCKS: is byte 16 of a block of 100000 bytes
// BLOCKS-NOT: omptarget note
// NONE-NOT: omptarget note
// NONE: memory fault at address
// NONSENSE: OFFLOAD_TRACK_NUM_KERNEL_LAUNCH_TRACES: -1 is not between 0 and 100000; the default 0 is used
// NONSENSE: memory fault at address
//
#pragma omp target map(tofrom : good)
  fail_at(address);
  printf("not reached\n");
  return 0;
}
