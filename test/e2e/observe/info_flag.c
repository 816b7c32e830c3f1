// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __tgt_set_info_flag switches information on and off in the running program, in the plugin, too.

// RUN: %clang %s -o %t
// RUN: %run %t 2>&1 | %check
// REQUIRES: runtime-omptarget

#include <stdint.h>
#include <stdio.h>

void __tgt_set_info_flag(uint32_t);

static int region(int x) {
#pragma omp target map(tofrom : x)
  x++;
  return x;
}

int main(void) {
  int x = region(0);
  // CHECK-NOT: info:
  // CHECK: on
  fprintf(stderr, "on\n");
  __tgt_set_info_flag(0x11);
  x = region(x);
  // CHECK-NEXT: {{^}}omptarget info: version {{[0-9]}}
  // CHECK-NEXT: Entering OpenMP kernel at {{.*}} with 1 arguments:
  // CHECK-NEXT: tofrom(
  // CHECK-NEXT: Launching kernel __omp_offloading_
  __tgt_set_info_flag(0);
  fprintf(stderr, "off\n");
  // CHECK-NEXT: off
  x = region(x);
  // CHECK-NOT: info:
  return x != 3;
}
