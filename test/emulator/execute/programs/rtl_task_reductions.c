// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions that tasks take part in, of a task group and of a parallel region: calls that LLVM's device RTLs have not.
// Clang 23 has private variables of a task, such as the task group's, copied by a function. It passes the function
// 32-bit addresses of an AMD GPU's stack as 64-bit ones. (On the CPU, libomp 19 loses a part of `all` in one of a
// hundred runs, under LLVM's runtimes as well.)
// REQUIRES: rtl-ours
// XFAIL: emulator-amdgpu && clang-23
// RUN: %clang -fopenmp-version=51 %s -o %t
// RUN: %run %t | %FileCheck %s
// CHECK: ok

#include "check.h"

int main(void) {
  int sum = 1, product = 1, all = 2;
#pragma omp target map(tofrom : sum, product, all)
  {
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(* : product)
    {
      for (int i = 1; i <= 5; ++i) {
#pragma omp task in_reduction(+ : sum) in_reduction(* : product)
        {
          sum += i;
          product *= i;
        }
      }
    }
#pragma omp parallel num_threads(32) reduction(task, + : all)
    {
#pragma omp task in_reduction(+ : all)
      all += omp_get_thread_num();
    }
  }
  CHECK_EQ(sum, 16);
  CHECK_EQ(product, 120);
  CHECK_EQ(all, 498);
  return finish();
}
