// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of two files whose kernel calls a function of the file without kernels. Compiled one by one, each file has
// a device RTL of its own, with variables of its own. nvlink links them, and the function knows nothing of the kernel's
// threads.
// REQUIRES: emulator-cuda, clang-19
// RUN: %llvm-clang -fno-offload-lto -c %s -o %t.kernel.o
// RUN: %llvm-clang -fno-offload-lto -DFUNCTION -c %s -o %t.function.o
// RUN: %llvm-clang -fno-offload-lto %t.kernel.o %t.function.o -o %t.llvm
// RUN: not %run %t.llvm 2>&1 | %FileCheck %s
// RUN: %our-clang -c %s -o %t.kernel.o
// RUN: %our-clang -DFUNCTION -c %s -o %t.function.o
// RUN: %our-clang %t.kernel.o %t.function.o -o %t
// RUN: %run %t

#include "check.h"

#pragma omp begin declare target
int own_number(void);
#pragma omp end declare target

#ifdef FUNCTION
#pragma omp begin declare target
int own_number(void) { return omp_get_thread_num(); }
#pragma omp end declare target
#else
int main(void) {
  int numbers[32];
#pragma omp target parallel num_threads(32) map(from : numbers)
  numbers[omp_get_thread_num()] = own_number();
  for (int i = 0; i < 32; i++)
    CHECK_EQ(numbers[i], i);
  return finish();
}
#endif

// CHECK: numbers[i]
