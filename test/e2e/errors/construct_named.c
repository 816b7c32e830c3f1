// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A failure names its construct: where it stands in the source, or without debug information who called.

// REQUIRES: runtime-omptarget
// RUN: %clang %s -o %t
// RUN: %expect-abort %t 2>&1 | %check --check-prefix=PLAIN
// RUN: %clang -gline-tables-only %s -o %t.g
// RUN: %expect-abort %t.g 2>&1 | %check --check-prefix=DEBUG
// RUN: %expect-abort env LIBOMPTARGET_INFO=4 %t.g 2>&1 | %check --check-prefix=TABLE

int main(void) {
  int a[2] = {1, 2};
#pragma omp target enter data map(to : a[0 : 1])
  // PLAIN: {{^}}omptarget error: in target enter data, called {{in|at}} {{.*}}construct_named.c.tmp
  // DEBUG: {{^}}omptarget error: in target enter data at {{.*}}construct_named.c:[[# @LINE + 4]]:1
  // The table shows what was there instead.
  // TABLE: omptarget device 0 info: OpenMP Host-Device pointer mappings after block at construct_named.c:[[# @LINE + 2]]:1:
  // TABLE: omptarget device 0 info: 0x{{.*}} 4        1           0            a[0:1] at construct_named.c:[[# @LINE - 6]]:7
#pragma omp target enter data map(to : a[0 : 2])
  return 0;
}
