// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mapping more than is present: LLVM 19's messages, with and without debug information.

// RUN: %clang %s -o %t
// RUN: %expect-abort %t 2>&1 | %check --check-prefixes=CHECK,PLAIN
// RUN: %clang -gline-tables-only %s -o %t.g
// RUN: %expect-abort %t.g 2>&1 | %check --check-prefixes=CHECK,DEBUG
// The prefix of LLVM 14 to 16 is another.
// XFAIL: runtime-llvm-14, runtime-llvm-15, runtime-llvm-16

#include <stdio.h>

int main(void) {
  int a[2] = {1, 2};
#pragma omp target enter data map(to : a[0 : 1])
  printf("before\n");
  fflush(stdout);
  // CHECK: before
  // CHECK: {{^}}omptarget message: explicit extension not allowed: host address specified is 0x{{[0-9a-f]+}} (8 bytes), but device allocation maps to host at 0x{{[0-9a-f]+}} (4 bytes)
  // CHECK-NEXT: {{^}}omptarget error: Call to getTargetPointer returned null pointer (device failure or illegal mapping).
  // CHECK-NEXT: {{^}}omptarget error: Call to targetDataBegin failed, abort target.
  // CHECK-NEXT: {{^}}omptarget error: Failed to process data before launching the kernel.
  // PLAIN: {{^}}omptarget error: {{Consult https://openmp.llvm.org/design/Runtimes.html for debugging options.|omptarget [0-9.]+.*; causes and remedies are in .*/share/doc/omptarget/use/errors.md$}}
  // PLAIN-NEXT: {{^}}omptarget error: Source location information not present. Compile with -g or -gline-tables-only.
  // PLAIN-NEXT: {{^}}omptarget fatal error 1: failure of target construct while offloading is mandatory
  // omptarget names the construct and, with debug information, the variable here, LLVM's runtime does not.
  // DEBUG: {{^}}omptarget error: {{Consult https://openmp.llvm.org/design/Runtimes.html for debugging options.|omptarget [0-9.]+.*; causes and remedies are in .*/share/doc/omptarget/use/errors.md$}}
  // DEBUG-NEXT: extension.c:[[#@LINE+1]]:1: omptarget fatal error 1: failure of target construct while offloading is mandatory
#pragma omp target map(tofrom : a)
  a[1]++;
  printf("after\n");
  // CHECK-NOT: after
  return 0;
}
