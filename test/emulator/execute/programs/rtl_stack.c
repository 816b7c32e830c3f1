// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose stack no compiler knows, for recursion or calls by pointers. An NVIDIA driver gives them the context's
// limit, 1,024 bytes unless the plugin raises it.
// REQUIRES: emulator-cuda
// RUN: %clang -gline-tables-only %s -o %t
// RUN: %run %t
// RUN: %expect-abort LIBOMPTARGET_STACK_SIZE=1024 %t 2>&1 | %FileCheck %s --check-prefix=FAULT
// RUN: %expect-abort LIBOMPTARGET_STACK_SIZE=600000 %t 2>&1 | %FileCheck %s --check-prefix=REFUSED
// RUN: %if rtl-ours && unoptimised %{ %clang -O0 -DREDUCTION %s -o %t.O0 %}
// RUN: %if rtl-ours && unoptimised %{ %run LIBOMPTARGET_STACK_SIZE=1024 %t.O0 %}

#include "check.h"

#pragma omp begin declare target
__attribute__((noinline)) int sum_to(int n) {
  volatile int here = n; // one of each call, read after the next one
  const int before = n == 0 ? 0 : sum_to(n - 1);
  return here + before;
}
#pragma omp end declare target

int main(void) {
#ifdef REDUCTION
  double sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
  for (int i = 0; i < 1000; i++)
    sum += i;
  CHECK_EQ(sum, 499500);
#else
  int result = 0;
#pragma omp target map(from : result)
  result = sum_to(100);
  CHECK_EQ(result, 5050);
#endif
  return finish();
}

// FAULT: kernel __omp_offloading_{{.*}}: sum_to{{.*}} needs [[FRAME:[0-9]+]] bytes of stack behind {{[0-9]+}}; threads have 1024 bytes (CU_LIMIT_STACK_SIZE)
// FAULT-NEXT: rtl_stack.c:{{[0-9]+}} in sum_to
// FAULT: kernel __omp_offloading_{{.*}} failed on device 0: {{.*}}CUDA_ERROR_ILLEGAL_ADDRESS
// FAULT-SAME: the stack may be too small: kernels that call themselves or by pointers have 1024 bytes for each thread (LIBOMPTARGET_STACK_SIZE)
// REFUSED: cuCtxSetLimit: CUDA_ERROR_INVALID_VALUE (1){{.*}}while setting LIBOMPTARGET_STACK_SIZE to 600000
