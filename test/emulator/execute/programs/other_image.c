// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that calls a function of another image was launched with the registers that its own image needs. An AMD GPU
// takes registers then that are another wave's; an NVIDIA GPU besides has no stack and no shared memory for the
// function.
// RUN: %indirect-clang -gline-tables-only -shared -fPIC -DLIBRARY %s -o %t.lib.so
// RUN: %indirect-clang -gline-tables-only %s -o %t %t.lib.so
// RUN: %if emulator-amdgpu %{ %run LIBOMPTARGET_CALLS_ACROSS_IMAGES=1 %t few %}
// RUN: %expect-abort LIBOMPTARGET_CALLS_ACROSS_IMAGES=1 %t many 2>&1 | %FileCheck %s --check-prefix=%if emulator-cuda %{MODULE%} %else %{REGISTERS%}
// REQUIRES: runtime-omptarget

#include "check.h"
#include "omptarget/indirect.h"

typedef int (*Function)(int);
Function find_function(int has_many);

#ifdef LIBRARY
static int takes_few(int x) { return x + 1; }
static int takes_many(int x) {
#ifdef __AMDGCN__
  __asm__ volatile("v_mov_b32 v97, %0" ::"v"(x) : "v97"); // here
#endif
  return x + 2;
}
OMPTARGET_INDIRECT(takes_few)
OMPTARGET_INDIRECT(takes_many)
Function find_function(int has_many) { return has_many ? takes_many : takes_few; }
#else
int main(int argc, char **argv) {
  const int has_many = argc > 1 && argv[1][0] == 'm';
  const Function function = find_function(has_many);
  int result = 0;
#pragma omp target map(from : result) firstprivate(function)
  result = OMPTARGET_TRANSLATE(function)(40);
  CHECK_EQ(result, 41 + has_many);
  return finish();
}
#endif

// MODULE: kernel __omp_offloading_{{.*}}: calls takes_many{{.*}} of another module: a kernel has registers, stack and shared memory for its own module's functions
// MODULE-NEXT: other_image.c:{{[0-9]+}} in __omp_offloading_
// REGISTERS: kernel __omp_offloading_{{.*}}: uses v97; the kernel's descriptor states {{[0-9]+}} vector registers: v_mov_b32
// REGISTERS-NEXT: at {{.*}}takes_many, other_image.c:23
