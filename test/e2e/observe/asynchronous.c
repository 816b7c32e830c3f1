// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device that queues its work, and begins with it as late as it may. Events of a construct with nowait are reported as
// its own although its call has returned. Begins and ends pair up, and traces and profiles have times of the work
// itself.

// REQUIRES: emulator-cuda, clang-19
// RUN: %clang -g %s -o %t
// RUN: %plainclang -shared -fPIC %inputs/ompt_tool.c -o %t.tool
// RUN: %run SIM_CUDA_HOLD=1 OMP_TOOL_LIBRARIES=%t.tool TOOL_MAPS=1 LIBOMPTARGET_DEBUG=kernel %t 2>&1 | %check --implicit-check-not=WRONG
// RUN: %run SIM_CUDA_HOLD=1 OMP_TOOL_LIBRARIES=%t.tool TOOL_MODE=plain %t 2>&1 | %FileCheck %s --check-prefix=PLAIN --implicit-check-not=WRONG
// RUN: %run OMP_TOOL_LIBRARIES=%t.tool TOOL_MODE=trace %t 2>&1 | %FileCheck %s --check-prefix=TRACE --implicit-check-not=WRONG
// RUN: rm -f %t.json
// RUN: %run LIBOMPTARGET_PROFILE=%t.json %t
// RUN: %python %inputs/check_profile.py %t.json
// RUN: %run LIBOMPTARGET_PROFILE=- %t 2>&1 | %FileCheck %s --check-prefix=PROFILE

// The region returns before it is done, and the end comes after its data are freed.
// CHECK: ompt: target kind=9 endpoint=1 device=0 task=set region=[[# REGION:]]
// CHECK: ompt: submit endpoint=2 teams=1 region=[[# REGION]]
// CHECK: ompt: data_op type=3 endpoint=2 source=set:0 destination=set:4 bytes=80 region=[[# REGION]]
// CHECK: ompt: data_op type=4 endpoint=1 source=set:0 destination=null:-1 bytes=0 region=[[# REGION]]
// CHECK-NEXT: ompt: data_op type=4 endpoint=2 source=set:0 destination=null:-1 bytes=0 region=[[# REGION]]
// CHECK-NEXT: deferred target is done
// CHECK-NEXT: ompt: target kind=9 endpoint=2 device=0 task=set region=[[# REGION]]
// CHECK: ompt: target kind=10 endpoint=1 {{.*}} region=[[# ENTER:]]
// CHECK: ompt: map item=0 bytes=80 flags=0x1 region=[[# ENTER]]
// CHECK: ompt: target kind=10 endpoint=2 {{.*}} region=[[# ENTER]]
// CHECK: ompt: target kind=11 endpoint=1 {{.*}} region=[[# EXIT:]]
// CHECK: ompt: map item=0 bytes=80 flags=0x2 region=[[# EXIT]]
// CHECK: ompt: data_op type=3 endpoint=2 {{.*}} region=[[# EXIT]]
// CHECK: ompt: data_op type=4 endpoint=2 {{.*}} region=[[# EXIT]]
// CHECK: ompt: target kind=11 endpoint=2 {{.*}} region=[[# EXIT]]
// CHECK: ompt: end, 0 problems
// PLAIN: ompt: target kind=9 endpoint=2
// PLAIN: ompt: end, 0 problems
// TRACE: ompt: record target kind=9 endpoint=1
// The kernel takes 20 ms, and starting it does not.
// TRACE: ompt: record kernel teams=1 region={{[0-9]+}} op={{[0-9]+}} us={{[1-9][0-9]...}}
// TRACE: ompt: record target kind=9 endpoint=2
// TRACE: ompt: end, 0 problems
// PROFILE: Kernels
// PROFILE: main, line [[# @LINE + 16]] {{.*}} 1 {{.*}} ms
// PROFILE: values {{.*}} to device
// PROFILE: values {{.*}} from device
// The second construct revives what the first has left.
// PROFILE: Device memory
// PROFILE-NEXT: device {{ *}}allocations {{ *}}of kept memory {{ *}}from the driver
// PROFILE-NEXT: {{^ *}}0 {{ *1  *0  *1  *[0-9.]+ k?B  *[0-9.]+ k?B  *[0-9.]+ k?B$}}

#include <time.h>

static double values[10];

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target map(tofrom : values) nowait depend(inout : values)
    {
      values[0] += 1;
      const struct timespec pause = {0, 20000000};
      nanosleep(&pause, 0);
    }
#pragma omp taskwait
#pragma omp target enter data map(to : values) nowait depend(inout : values)
#pragma omp taskwait
#pragma omp target exit data map(from : values) nowait depend(inout : values)
#pragma omp taskwait
  }
  return values[0] != 1;
}
