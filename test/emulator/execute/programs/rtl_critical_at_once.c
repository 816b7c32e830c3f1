// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A critical section that all lanes of a wave come to at once, as in flang's code without the compiler plugin. On AMD's
// GPUs the kernel says so and stops, where it would wait for ever.
// REQUIRES: rtl-ours, emulator-amdgpu
// RUN: %clang %s -o %t
// RUN: %expect-abort %t 2>&1 | %FileCheck %s

#include "check.h"

#pragma omp begin declare target
void __kmpc_critical(void *place, int thread, int *name);
void __kmpc_end_critical(void *place, int thread, int *name);
static int lock[8];
#pragma omp end declare target

int main(void) {
  int sum = 0;
  // CHECK: several lanes of a wave wait for a lock at once
#pragma omp target parallel num_threads(48) map(tofrom : sum)
  {
    if (omp_get_thread_num() == 50)
      printf("so that text is printed\n");
    __kmpc_critical(0, omp_get_thread_num(), lock);
    sum++;
    __kmpc_end_critical(0, omp_get_thread_num(), lock);
  }
  return finish();
}
