// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two more bits of LIBOMPTARGET_DEVICE_RTL_DEBUG in a program that was compiled with -fopenmp-target-debug (see
// rtl_debug.c). The value 4 tells of variables that threads share and that have no room in shared memory. The value 8
// tells of allocations: on NVIDIA's GPUs each time, on AMD's the plugin at the device's end.
// REQUIRES: rtl-ours, emulator-cuda || clang-19-or-later
// RUN: %clang -fopenmp-target-debug=12 %s -o %t
// RUN: %run LIBOMPTARGET_DEVICE_RTL_DEBUG=4 %t 2>&1 | %FileCheck %s --check-prefixes=FULL,UNTOLD,END
// RUN: %run LIBOMPTARGET_DEVICE_RTL_DEBUG=12 %t 2>&1 | %FileCheck %s --check-prefixes=TOLD
// RUN: %run LIBOMPTARGET_DEVICE_RTL_DEBUG=8 %t 2>&1 | %FileCheck %s --check-prefixes=TOLD,NOTFULL
// RUN: %run %t 2>&1 | %FileCheck %s --check-prefixes=NOTFULL,UNTOLD,END

// FULL: omptarget device RTL: 4000 bytes are in global memory, as the stack in shared memory is full (block 0, thread {{[0-9]+}})
// NOTFULL-NOT: as the stack
// UNTOLD-NOT: {{are allocated|device memory pool}}
// TOLD: {{device memory pool: 2 allocations, 4096 bytes, smallest 96, largest 4000|RTL: 4000 bytes are allocated \(block 0}}
// END: the region ends

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#if (defined(__AMDGCN__) || (defined(__NVPTX__) && __clang_major__ >= 22))
#pragma omp begin declare target device_type(nohost)
const unsigned __omp_rtl_debug_kind = 12;
#pragma omp end declare target
#endif

// As compilers call them, with a size that they do not know: of others they find a place beforehand.
#pragma omp begin declare target
#if defined(__AMDGCN__) || defined(__NVPTX__)
void *__kmpc_alloc_shared(unsigned long size);
void __kmpc_free_shared(void *memory, unsigned long size);
#else
static void *__kmpc_alloc_shared(unsigned long size) { return malloc(size); }
static void __kmpc_free_shared(void *memory, unsigned long size) { free(memory); }
#endif
int *volatile shared;
#pragma omp end declare target

int main(void) {
  int sum = 0, count = 1000;
#pragma omp target teams num_teams(1) thread_limit(32) map(tofrom : sum)
  {
    int *many = (int *)__kmpc_alloc_shared(count * sizeof(int));
    shared = many;
    int *few = (int *)omp_alloc(96, omp_default_mem_alloc);
    for (int i = 0; i < count; ++i)
      many[i] = i;
    few[0] = 1;
    for (int i = 0; i < count; ++i)
      sum += many[i] * few[0];
    omp_free(few, omp_default_mem_alloc);
    __kmpc_free_shared(many, count * sizeof(int));
    printf("the region ends\n");
  }
  CHECK_EQ(sum, 499500);
  return finish();
}
