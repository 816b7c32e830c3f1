// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One file requires unified_shared_memory and another does not.

// RUN: %clang -c %s -o %t.o
// RUN: %clang %t.o %inputs/plain_region.c -o %t
// RUN: %expect-abort %t 2>&1 | %check
// Files by clang 19 and 22 that have no such directive say nothing about it.
// UNSUPPORTED: clang-19-or-later
// XFAIL: runtime-llvm

// CHECK-NOT: {{^}}main {{[0-9]}}
// CHECK: {{^}}omptarget fatal error 1: '#pragma omp requires unified_shared_memory' not used consistently!
// CHECK-NOT: {{^}}main {{[0-9]}}

#pragma omp requires unified_shared_memory

#include <stdio.h>

int plain_region(int x);

int main(void) {
  int y = 0;
#pragma omp target map(tofrom : y)
  y++;
  printf("main %d\n", plain_region(y));
  return 0;
}
