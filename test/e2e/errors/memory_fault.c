// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that accesses what it must not: the message names the region, where it is, and the address.

// REQUIRES: emulator-amdgpu
// RUN: %clang -g %s -o %t -ldl
// RUN: %expect-abort %t 2>&1 | %check

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

static void fail_at(uint64_t address) {
  void *driver = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD);
  void (*fault)(uint64_t, uint32_t) = (void (*)(uint64_t, uint32_t))dlsym(driver, "sim_hsa_memory_fault");
  fault(address, 1);
}

int main(void) {
  int good = 0;
#pragma omp target map(tofrom : good)
  good++;
  printf("good: %d\n", good);
  fflush(stdout);
// CHECK: good: 1
// CHECK: kernel {{.*}} in main, line [[#@LINE+5]] ({{.*}}) failed on device 0: memory fault at address 0x7000: page not present
// CHECK: in target at {{.*}}memory_fault.c:[[#@LINE+4]]:
// CHECK: omptarget fatal error 1: failure of target construct while offloading is mandatory
// CHECK-NOT: not reached
//
#pragma omp target map(tofrom : good)
  fail_at(0x7000);
  printf("not reached\n");
  return 0;
}
