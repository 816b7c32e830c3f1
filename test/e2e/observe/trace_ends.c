// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trace tells when a kernel has ended, so that a kernel that hangs can be told from a host that does. It names
// variables and kernels as the source does, and says what the device is left to choose.

// REQUIRES: runtime-omptarget, lasts, clang-16-or-later
// UNSUPPORTED: emulated, plugins-of-llvm-16, plugins-of-llvm-17, plugins-of-llvm-18
// RUN: %clang -g %s -o %t
// RUN: %run LIBOMPTARGET_DEBUG=kernel,mapping,transfer %t 2>&1 | %check

// CHECK: [setting] omptarget {{[0-9]+\.[0-9]+\.[0-9]+.*}} in process {{[0-9]+}}, {{.*}}trace_ends.c.tmp
// CHECK: [kernel] target at trace_ends.c:[[#@LINE+14]]:1 with
// CHECK: [mapping] new mapping: host 0x{{.*}}, 4 bytes, number at {{.*}}trace_ends.c:[[#@LINE+12]]:7
// CHECK: [transfer] to device: host 0x{{.*}}, 4 bytes, number at {{.*}}trace_ends.c:[[#@LINE+11]]:7
// CHECK: [kernel] launching main, line [[#@LINE+11]] (__omp_offloading_{{.*}}) with {{.*}} arguments, 3 teams, as many threads as the device chooses
// CHECK-NOT: [transfer]
// CHECK: [kernel] the launch of main, line [[#@LINE+9]] has returned
// CHECK: [transfer] to host: host 0x{{.*}}, 4 bytes, number at
// CHECK: [kernel] target at trace_ends.c:[[#@LINE+7]]:1 is done
// CHECK: returned 4

#include <stdio.h>

int main(void) {
  int number = 3;
#pragma omp target teams num_teams(3) map(tofrom : number)
#pragma omp distribute
  for (int i = 0; i < 1; i++)
    number++;
  fflush(stderr);
  printf("returned %d\n", number);
  return 0;
}
