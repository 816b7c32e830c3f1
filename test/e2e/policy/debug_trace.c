// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_DEBUG works in every build: it tells about modules, plugins, devices, images, mappings and kernels.

// RUN: %clang %s -o %t
// RUN: %run LIBOMPTARGET_DEBUG=1 %t 2>&1 | %check
// RUN: %run LIBOMPTARGET_DEBUG=mapping %t 2>&1 | %check --check-prefix=MAPPING
// RUN: %run LIBOMPTARGET_DEBUG=0 %t 2>&1 | %check --check-prefix=OFF
// RUN: rm -f %t.log
// RUN: %run LIBOMPTARGET_DEBUG=kernel LIBOMPTARGET_DEBUG_FILE=%t.log %t 2>&1 | %check --check-prefix=OFF
// RUN: %FileCheck %s --check-prefix=KERNEL < %t.log
// REQUIRES: runtime-omptarget
// These plugins are left out if topics are named: plugin_takes_numbers.c.
// UNSUPPORTED: plugins-of-llvm-16, plugins-of-llvm-17, plugins-of-llvm-18

// CHECK: registering {{.*}}debug_trace.c.tmp: 1 images
// CHECK: libomptarget.rtl.[[MACHINE]].so
// CHECK: initialising device 0
// CHECK: loading {{.*}}image {{.*}}of {{.*}}debug_trace.c.tmp
// CHECK: new mapping
// CHECK: __omp_offloading_{{.*}}_main_
// CHECK: region: 2
// MAPPING-NOT: registering
// MAPPING: new mapping
// OFF-NOT: {{.}}
// OFF: region: 2
// OFF-NOT: {{.}}
// KERNEL: __omp_offloading_{{.*}}_main_

#include <stdio.h>

int main(void) {
  int x = 1;
#pragma omp target map(tofrom : x)
  x++;
  fflush(stderr);
  printf("region: %d\n", x);
  return 0;
}
