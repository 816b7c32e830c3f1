// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_CHECK=mapping notes nothing that an exit handler or a destructor releases, and names the rest, although
// the module with the names has gone before the device ends. Other devices end before destructors run.

// RUN: %clang -g %s -o %t
// RUN: %run LIBOMPTARGET_CHECK=mapping %t 2>&1 | %FileCheck %s
// REQUIRES: lasts
// UNSUPPORTED: runtime-llvm
// CHECK-NOT: note:
// CHECK: note: lost (40 bytes), declared at {{.*}}check_mapping_late.c:{{[0-9]+}}:{{[0-9]+}} is still mapped when device 0 ends
// CHECK-NOT: note:

#include <stdio.h>
#include <stdlib.h>

static int handled[10], destroyed[10], lost[10];

static void at_exit(void) {
#pragma omp target exit data map(from : handled)
}
__attribute__((destructor)) static void destroy(void) {
#pragma omp target exit data map(from : destroyed)
}

int main(void) {
  atexit(at_exit);
#pragma omp target enter data map(to : handled, destroyed, lost)
  return 0;
}
