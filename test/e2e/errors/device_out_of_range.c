// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device number that does not exist, in constructs and in API calls.

// RUN: %clang %s -o %t
// RUN: %expect-abort %t target 99 2>&1 | %check -DDEVICE=99
// RUN: %expect-abort %t data 7 2>&1 | %check -DDEVICE=7
// RUN: %expect-abort %t enter 5 2>&1 | %check -DDEVICE=5
// RUN: %expect-abort %t update -5 2>&1 | %check -DDEVICE=-5
// RUN: %expect-abort OMP_TARGET_OFFLOAD=DEFAULT %t target 99 2>&1 | %check -DDEVICE=99
// RUN: %run OMP_TARGET_OFFLOAD=DISABLED %t target 99 2>&1 | %check --check-prefix=HOST
// LLVM 14 to 16 and 22 word it in other ways.
// XFAIL: runtime-llvm-14, runtime-llvm-15, runtime-llvm-16, runtime-llvm-22

// CHECK-NOT: still here
// CHECK: {{^}}omptarget fatal error [[DEVICE]]: Device number '[[DEVICE]]' out of range, only 4 devices available
// CHECK-NOT: still here
// HOST-NOT: {{.}}
// HOST: still here 2

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  int device = atoi(argv[2]), x = 1;
  const char *what = argv[1];
  if (strcmp(what, "target") == 0) {
#pragma omp target device(device) map(tofrom : x)
    x++;
  } else if (strcmp(what, "data") == 0) {
#pragma omp target data device(device) map(tofrom : x)
    x++;
  } else if (strcmp(what, "enter") == 0) {
#pragma omp target enter data device(device) map(to : x)
  } else {
#pragma omp target update device(device) to(x)
  }
  printf("still here %d\n", x);
  return 0;
}
