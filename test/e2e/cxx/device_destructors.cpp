// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global objects of the device end with it, the last one first, when the program ends: on each device that was used,
// once.

// RUN: %clangxx %s -o %t
// RUN: %run %t | %check
// The runtimes of LLVM run them in the order of construction, or not at all.
// UNSUPPORTED: runtime-llvm

#include <cstdio>
#include <omp.h>

#pragma omp declare target
extern "C" int dprintf(int file, const char *pattern, ...);
struct Object {
  int number;
  Object(int number) : number(number) {}
  ~Object() {
    if (!omp_is_initial_device())
      dprintf(1, "object %d goes\n", number);
  }
};
Object first(1), second(2), third(3);
#pragma omp end declare target

int main() {
  int sum = 0;
#pragma omp target device(1) map(tofrom : sum)
  sum += first.number + second.number + third.number;
  dprintf(1, "sum %d\n", sum);
  // CHECK: sum 6
  // CHECK-NEXT: object 3 goes
  // CHECK-NEXT: object 2 goes
  // CHECK-NEXT: object 1 goes
  // CHECK-NOT: object
  return 0;
}
