// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of CUDA kernels (clang's -foffload-via-llvm) are refused by name. Where offloading is mandatory that is the
// end: otherwise the program would go on with wrong results.

// RUN: %clang %s -o %t -ldl
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t 2>&1 | %FileCheck %s
// RUN: %expect-abort %t 2>&1 | %FileCheck %s --check-prefix=MANDATORY
// UNSUPPORTED: runtime-llvm
// CHECK: omptarget error: CUDA kernels cannot be launched by this library: leave -foffload-via-llvm out
// CHECK-NEXT: omptarget error: in __llvmPushCallConfiguration
// CHECK: omptarget error: in llvmLaunchKernel
// CHECK-NOT: omptarget
// CHECK: done
// MANDATORY: omptarget error: CUDA kernels cannot be launched
// MANDATORY: omptarget fatal error 1: failure of target construct while offloading is mandatory
// MANDATORY-NOT: done

#define _GNU_SOURCE // RTLD_DEFAULT
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
#pragma omp target
  {
  }
  for (int i = 0; i < 2; i++) {
    unsigned (*push)(void) = (unsigned (*)(void))dlsym(RTLD_DEFAULT, "__llvmPushCallConfiguration");
    unsigned (*launch)(void) = (unsigned (*)(void))dlsym(RTLD_DEFAULT, "llvmLaunchKernel");
    if (!push || !launch || push() == 0 || launch() == 0)
      return 1;
  }
  fflush(stderr);
  puts("done");
  return 0;
}
