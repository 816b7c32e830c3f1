// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions in a constructor, in exit handlers, and in a destructor, on the device each time.
// RUN: %gcc %s -o %t
// RUN: %run %t | %check
// CHECK: constructor: device
// CHECK-NEXT: main: device
// CHECK-NEXT: exit: device
// CHECK-NEXT: destructor: device
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int data[4] = {1, 2, 3, 4};

static void region(const char *moment) {
  int is_host = -1, sum = 0;
#pragma omp target map(from : is_host) map(tofrom : data) map(from : sum)
  {
    is_host = omp_is_initial_device();
    sum = data[0] + data[3];
  }
  printf("%s: %s\n", moment, is_host == 0 && sum == 5 ? "device" : "wrong");
  fflush(stdout);
}

static void at_exit(void) { region("exit"); }
__attribute__((constructor)) static void begin(void) { region("constructor"); }
__attribute__((destructor)) static void end(void) { region("destructor"); }

int main(void) {
  atexit(at_exit);
  region("main");
  return 0;
}
