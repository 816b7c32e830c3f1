// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_RANGES: constructs, kernels and copies by name for vendors' tools, if there is one; a library stands for both.

// REQUIRES: runtime-omptarget, clang-15-or-later
// The leak checker crashes on the program with the tool.
// UNSUPPORTED: asan
// RUN: %clang -g %s -o %t
// RUN: rm -rf %t.lib && mkdir %t.lib
// RUN: %plainclang -shared -fPIC -Wl,-soname,libroctx64.so.4 -I/usr/local/cuda/include %inputs/range_tool.c -o %t.lib/libroctx64.so.4
// RUN: %run NVTX_INJECTION64_PATH=%t.lib/libroctx64.so.4 %t | %check --implicit-check-not=WRONG
// RUN: %run NVTX_INJECTION64_PATH=%t.lib/libroctx64.so.4 LIBOMPTARGET_RANGES=nvtx %t | %check --implicit-check-not=WRONG
// RUN: %if !sanitizer %{ %run LD_PRELOAD=%t.lib/libroctx64.so.4 %t | %check --implicit-check-not=WRONG %}
// RUN: %run NVTX_INJECTION64_PATH=%t.lib/libroctx64.so.4 LIBOMPTARGET_RANGES=off %t | %check --check-prefix=NONE
// RUN: %run %t | %check --check-prefix=NONE
// RUN: %run LIBOMPTARGET_RANGES=roctx %t 2>&1 | %check --check-prefix=MISSING
// RUN: %run LIBOMPTARGET_RANGES=loud %t 2>&1 | %check --check-prefix=UNKNOWN
// RUN: %run NVTX_INJECTION64_PATH=%t.none %t 2>&1 | %check --check-prefix=NOTOOL
// RUN: %run RANGE_TOOL_REFUSES=1 NVTX_INJECTION64_PATH=%t.lib/libroctx64.so.4 LIBOMPTARGET_RANGES=nvtx %t 2>&1 | %check --check-prefix=REFUSES
// RUN: %plainclang -shared -fPIC -I/usr/local/cuda/include %inputs/range_tool.c -o %t.refuses.so
// RUN: %run RANGE_TOOL_REFUSES=1 NVTX_INJECTION64_PATH=%t.refuses.so %t 2>&1 | %check --check-prefix=NONE --implicit-check-not=warning

// CHECK: range 0: target enter data ranges.c:[[# @LINE + 27]]:1
// CHECK: range 1: allocate values
// CHECK: range 1: copy to device values
// CHECK: range 0: target ranges.c:[[# @LINE + 26]]:1
// CHECK-NEXT: range 1: kernel main, line [[# @LINE + 25]]
// CHECK: range 0: target ranges.c:[[# @LINE + 29]]:1
// CHECK: range 1: kernel main, line [[# @LINE + 28]]
// CHECK: range 0: target exit data ranges.c:[[# @LINE + 31]]:1
// CHECK-NEXT: range 1: copy from device values
// CHECK: range 1: free values
// CHECK: values[0] is 2
// CHECK: right: 0 ranges are open at the end
// NONE-NOT: range
// NONE: values[0] is 2
// MISSING: omptarget warning: LIBOMPTARGET_RANGES: no library of roctx is found
// MISSING: values[0] is 2
// UNKNOWN: omptarget warning: LIBOMPTARGET_RANGES: 'loud' is not one of auto, nvtx, roctx and off; there are no ranges
// NOTOOL: omptarget warning: LIBOMPTARGET_RANGES: NVTX_INJECTION64_PATH names {{.*}}.none, which takes no ranges: {{.*}}cannot open
// REFUSES: which takes no ranges{{$}}

#include <stdio.h>

static double values[1000];

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);

#pragma omp target enter data map(to : values)

#pragma omp target map(tofrom : values)
  values[0]++;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target nowait map(tofrom : values)
    values[0]++;
#pragma omp taskwait
  }
#pragma omp target exit data map(from : values)
  printf("values[0] is %g\n", values[0]);
  return values[0] != 2;
}
