// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBOMPTARGET_DEVICE_RTL_DEBUG in a program that was compiled with -fopenmp-target-debug. The value 2 tells each call
// of the device RTL, with its place, and 1 stops a kernel that uses a lock wrongly. Without the variable, or without
// the option, nothing of it happens. Clang leaves out the option's constant beside -nogpulib, as for AMD's GPUs and
// here by clang 22 and later: the program has it then. (By clang 16 for AMD's the suite has it, as 0.)
// REQUIRES: rtl-ours, emulator-cuda || clang-19-or-later
// RUN: %clang -fopenmp-target-debug=3 %s -o %t
// RUN: %run LIBOMPTARGET_DEVICE_RTL_DEBUG=2 %t | %FileCheck %s --check-prefixes=TRACE,WRONG
// RUN: %run LIBOMPTARGET_DEVICE_RTL_DEBUG=2 %t | grep -c "__kmpc_barrier (block" | grep -x 8
// RUN: %expect-abort LIBOMPTARGET_DEVICE_RTL_DEBUG=1 %t 2>&1 | %FileCheck %s --check-prefix=DEMAND
// RUN: %run %t | %FileCheck %s --check-prefixes=SILENT,WRONG
// RUN: %clang -DPLAIN %s -o %t.plain
// RUN: %run LIBOMPTARGET_DEVICE_RTL_DEBUG=3 %t.plain | %FileCheck %s --check-prefixes=SILENT,WRONG

// TRACE-DAG: omptarget device RTL: __kmpc_target_init (block 0, thread 0)
// TRACE-DAG: omptarget device RTL: __kmpc_target_init (block 1, thread 3)
// TRACE-DAG: omptarget device RTL: __kmpc_parallel_{{[0-9]+}} (block 1, thread 2)
// TRACE-DAG: omptarget device RTL: __kmpc_target_deinit (block 0, thread 3)
// DEMAND: omptarget device RTL: a lock is unset that is not set (block 0, thread {{[0-9]+}})
// DEMAND-NOT: the wrong region ends
// SILENT-NOT: omptarget device RTL
// WRONG: the wrong region ends

#include "check.h"

#include <stdio.h>

#if (defined(__AMDGCN__) || (defined(__NVPTX__) && __clang_major__ >= 22)) && !defined(PLAIN)
#pragma omp begin declare target device_type(nohost)
const unsigned __omp_rtl_debug_kind = 3;
#pragma omp end declare target
#endif

int main(void) {
  int sum = 0;
#pragma omp target teams num_teams(2) thread_limit(4) map(tofrom : sum)
#pragma omp parallel num_threads(4)
  {
#pragma omp atomic
    sum += 1;
#pragma omp barrier
  }
  CHECK_EQ(sum, 8);
  fflush(stdout);
#pragma omp target
  {
    omp_lock_t lock;
    omp_init_lock(&lock);
    omp_unset_lock(&lock);
    printf("the wrong region ends\n");
  }
  return finish();
}
