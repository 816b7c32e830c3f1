// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of declare target are made on the device before its first kernel, and end there with it, the last one first.
// Output of destructors is not lost.
// REQUIRES: rtl-ours
// RUN: %clangxx %s -o %t
// RUN: %run %t | %FileCheck %s

#include <cstdio>
#include <omp.h>

#pragma omp declare target
struct Object {
  int number;
  Object(int start) : number(start) {}
  ~Object() {
    if (!omp_is_initial_device())
      printf("object %d goes\n", number);
  }
};
static int twice(int number) { return 2 * number; }
Object first(1), second(twice(first.number)), third(3);
#pragma omp end declare target

int main() {
  int sum = 0;
  // CHECK: sum 6, then 106
#pragma omp target map(tofrom : sum)
  {
    sum += first.number + second.number + third.number;
    third.number = 103;
  }
  const int before = sum;
#pragma omp target map(from : sum)
  sum = first.number + second.number + third.number;
  printf("sum %d, then %d\n", before, sum);
  // CHECK-NEXT: object 103 goes
  // CHECK-NEXT: object 2 goes
  // CHECK-NEXT: object 1 goes
  // CHECK-NOT: object
}
