// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trace tells that a GPU is at work, also where nothing is copied back and the launch waits itself.

// REQUIRES: emulator-cuda, clang-19
// RUN: %clang -g %s -o %t
// RUN: %run LIBOMPTARGET_DEBUG=kernel %t 2>&1 | %check

// CHECK: [kernel] launching main, line [[#@LINE+11]]
// CHECK: [kernel] waiting for the device's work
// CHECK: [kernel] the device's work is done
// CHECK: [kernel] target at trace_waits.c:[[#@LINE+8]]:1 is done
// CHECK: [kernel] launching main, line [[#@LINE+10]]
// CHECK: [kernel] waiting for the device's work
// CHECK: [kernel] the device's work is done
// CHECK: [kernel] target at trace_waits.c:[[#@LINE+7]]:1 is done

int main(void) {
  int numbers[3] = {0};
#pragma omp target
  {}
#pragma omp target data map(to : numbers)
#pragma omp target map(tofrom : numbers)
  numbers[1]++;
}
