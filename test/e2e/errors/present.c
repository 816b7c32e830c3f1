// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The present modifier of map: fine if present, an error that says what is missing otherwise.

// RUN: %clang -fopenmp-version=51 %s -o %t
// RUN: %expect-abort %t 2>&1 | %check
// The prefix of LLVM 14 to 16 is another.
// XFAIL: runtime-llvm-14, runtime-llvm-15, runtime-llvm-16

#include <stdio.h>

int main(void) {
  int a[10] = {1}, b[2] = {1, 2};
#pragma omp target data map(tofrom : a)
  {
#pragma omp target map(present, tofrom : a)
    a[0]++;
#pragma omp target enter data map(present, alloc : a[2 : 3])
#pragma omp target exit data map(present, release : a[2 : 3])
  }
  printf("present works: %d\n", a[0]);
  fflush(stdout);
  // CHECK: present works: 2
  // CHECK-NEXT: {{^}}omptarget message: device mapping required by 'present' map type modifier does not exist for host address 0x{{[0-9a-f]+}} (8 bytes)
  // CHECK-NEXT: {{^}}omptarget error: Call to getTargetPointer returned null pointer ('present' map type modifier).
  // CHECK-NEXT: {{^}}omptarget error: Call to targetDataBegin failed, abort target.
  // CHECK-NEXT: {{^}}omptarget error: Failed to process data before launching the kernel.
  // CHECK: {{^}}omptarget fatal error 1: failure of target construct while offloading is mandatory
#pragma omp target map(present, tofrom : b)
  b[0]++;
  printf("after\n");
  // CHECK-NOT: after
  return 0;
}
