// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Damaged images: an error that says so, never a crash.

// RUN: %clang %s -o %t
// RUN: %python %inputs/patch_image.py magic %t %t.magic
// RUN: %python %inputs/patch_image.py truncated %t %t.truncated
// RUN: chmod +x %t.magic %t.truncated
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t.magic 2>&1 | %check
// RUN: %run OMP_TARGET_OFFLOAD=DISABLED %t.truncated 2>&1 | %check
// RUN: %expect-abort %t.magic 2>&1 | %check --check-prefix=MANDATORY
// RUN: %expect-abort %t.truncated 2>&1 | %check --check-prefix=MANDATORY
// UNSUPPORTED: runtime-llvm

// CHECK: ran on the host: 1
// MANDATORY-NOT: ran
// MANDATORY: {{^}}omptarget fatal error 1: failure of target construct while offloading is mandatory

#include <omp.h>
#include <stdio.h>

int main(void) {
  int host = -1;
#pragma omp target map(from : host)
  host = omp_is_initial_device();
  printf("ran on the host: %d\n", host);
  return 0;
}
