// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code that is observed is the code that runs. With information, the trace and a tool the driver of a GPU gets the
// same calls in the same order as without. A profile adds the calls that take times, and makes a queue earlier.
// same_plugin_calls.c has the same for the plugin of the CPU device.

// REQUIRES: emulator-cuda || emulator-amdgpu
// RUN: %clang -g -no-pie %s -o %t
// RUN: %plainclang -shared -fPIC %inputs/ompt_tool.c -o %t.tool
// RUN: rm -rf %t.none %t.other && mkdir %t.none %t.other
// RUN: %run SIM_CUDA_RECORD=%t.none SIM_HSA_RECORD=%t.none %t
// RUN: %run SIM_CUDA_RECORD=%t.other SIM_HSA_RECORD=%t.other LIBOMPTARGET_INFO=-1 %t 2>%t.text
// RUN: %python %inputs/check_overlap.py calls %t.none %t.other --times
// RUN: rm -rf %t.other && mkdir %t.other
// RUN: %run SIM_CUDA_RECORD=%t.other SIM_HSA_RECORD=%t.other LIBOMPTARGET_DEBUG=mapping,transfer,kernel LIBOMPTARGET_DEBUG_FILE=%t.text %t
// RUN: %python %inputs/check_overlap.py calls %t.none %t.other --times
// RUN: rm -rf %t.other && mkdir %t.other
// RUN: %run SIM_CUDA_RECORD=%t.other SIM_HSA_RECORD=%t.other LIBOMPTARGET_PROFILE=%t.json %t
// RUN: %python %inputs/check_overlap.py calls %t.none %t.other --any-order
// RUN: rm -rf %t.other && mkdir %t.other
// RUN: %run SIM_CUDA_RECORD=%t.other SIM_HSA_RECORD=%t.other OMP_TOOL_LIBRARIES=%t.tool TOOL_LOG=%t.text %t
// RUN: %python %inputs/check_overlap.py calls %t.none %t.other --times

#include <stdio.h>

enum { kLength = 100, kLarge = 1 << 16 };

struct list {
  int length;
  long *data;
};

#pragma omp declare target
long global[4];
#pragma omp end declare target

// At the same addresses in every run: these decide which mappings make place for others.
static long a[kLength], b[kLength], large[kLarge], behind[kLength], sum;
static struct list list = {kLength, behind};

/// Constructs of small programs. They run three times: data that are mapped again differ from those mapped first.
static long run(void) {
  long *none = 0;
#pragma omp target
  {
  }
#pragma omp target map(tofrom : sum)
  ++sum;
#pragma omp target map(tofrom : sum, a, b)
  sum += ++a[0] + ++b[1];
#pragma omp target map(to : large) map(from : a) map(alloc : b)
  for (int i = 0; i < kLength; i++)
    a[i] = large[i] + (b[i] = i);
#pragma omp target map(none [0:0]) firstprivate(sum)
  sum += none != 0;
#pragma omp target data map(tofrom : a) map(to : large) map(alloc : b)
  {
#pragma omp target map(always, tofrom : a) map(b)
    a[2] += b[2] = 5;
#pragma omp target update from(a[2 : 3])
    sum += a[2];
#pragma omp target update to(a[2 : 3], large)
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = 0; i < kLength; i++)
      sum += a[i] + large[i];
#pragma omp target data use_device_ptr(none) map(a)
    sum += none == 0;
  }
#pragma omp target enter data map(to : list) map(to : list.data[0 : kLength])
#pragma omp target map(list)
  list.data[3] = 7;
#pragma omp target update from(list.data[3 : 1])
  sum += list.data[3];
#pragma omp target exit data map(delete : list.data[0 : kLength]) map(release : list)
#pragma omp target map(tofrom : list) map(tofrom : list.data[0 : kLength])
  list.data[4] += list.length;
  sum += list.data[4];
#pragma omp target
  ++global[1];
#pragma omp target update from(global)
  sum += global[1];
  return sum;
}

int main(void) {
  for (int i = 0; i < 3; i++)
    printf("%ld\n", run());
  return 0;
}
