// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The present modifier of target update, and update of what is absent.

// RUN: %clang -fopenmp-version=51 %s -o %t
// RUN: %expect-abort %t 2>&1 | %check
// The prefix of LLVM 14 to 16 is another.
// XFAIL: runtime-llvm-14, runtime-llvm-15, runtime-llvm-16

#include <stdio.h>

int main(void) {
  int a[10] = {1}, b[2] = {1, 2};
#pragma omp target update to(b)
#pragma omp target update from(b)
#pragma omp target data map(tofrom : a)
  {
#pragma omp target update to(present : a[1 : 2])
  }
  printf("works: %d\n", b[0]);
  fflush(stdout);
  // CHECK: works: 1
  // CHECK-NEXT: {{^}}omptarget message: device mapping required by 'present' motion modifier does not exist for host address 0x{{[0-9a-f]+}} (8 bytes)
  // CHECK: {{^}}omptarget fatal error 1: failure of target construct while offloading is mandatory
#pragma omp target update from(present : b)
  printf("after\n");
  // CHECK-NOT: after
  return 0;
}
