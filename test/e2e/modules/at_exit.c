// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions in functions that run at exit, after main.

// RUN: %clang %s -o %t
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t | %check
// UNSUPPORTED: runtime-llvm

#include <stdio.h>
#include <stdlib.h>

static int region(int x) {
#pragma omp target map(tofrom : x)
  x++;
  return x;
}

static void early(void) { printf("at exit: %d\n", region(1)); }
static void late(void) __attribute__((destructor));
static void late(void) {
  printf("destructor: %d\n", region(2));
  fflush(stdout);
}

int main(void) {
  atexit(early);
  printf("main: %d\n", region(0));
  // CHECK: main: 1
  // CHECK-NEXT: at exit: 2
  // CHECK-NEXT: destructor: 3
  return 0;
}
