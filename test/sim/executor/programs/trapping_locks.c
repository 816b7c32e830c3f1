// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defects of LLVM's device RTL for AMD's GPUs: 16's critical sections are a trap, and its locks and 19's are.
// REQUIRES: sim-amdgpu, rtl-llvm
// RUN: %clang %s -o %t.lock
// RUN: %expect-abort %t.lock 2>&1 | %FileCheck %s
// RUN: %if clang-16 %{ %clang -DSECTION %s -o %t.section %}
// RUN: %if clang-16 %{ %expect-abort %t.section 2>&1 | %FileCheck %s %}

#include <omp.h>

int main(void) {
  int count = 0;
#pragma omp target map(tofrom : count)
  {
#ifndef SECTION
    omp_lock_t lock;
    omp_init_lock(&lock);
#endif
#pragma omp parallel num_threads(64)
#ifdef SECTION
#pragma omp critical
    count++;
#else
    {
      omp_set_lock(&lock);
      count++;
      omp_unset_lock(&lock);
    }
#endif
  }
  return count;
}

// CHECK: trap {{[0-9]+}}: the program ends the kernel
