// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events of an OMPT tool and the profile for the device memory routines, and for regions that the host runs.

// REQUIRES: clang-19, runtime-omptarget
// RUN: %clang -g %s -o %t
// RUN: %plainclang -shared -fPIC %inputs/ompt_tool.c -o %t.tool
// RUN: %run OMP_TOOL_LIBRARIES=%t.tool TOOL_MAPS=1 %t 2>&1 | %check --implicit-check-not=WRONG --implicit-check-not="ompt: data_op type={{[0-9]}} endpoint=2"
// RUN: %run LIBOMPTARGET_PROFILE=- %t 2>&1 | %FileCheck %s --check-prefix=PROFILE
// RUN: %run OMP_TARGET_OFFLOAD=DISABLED OMP_TOOL_LIBRARIES=%t.tool %t host 2>&1 | %FileCheck %s --check-prefix=HOST --implicit-check-not=WRONG
// RUN: %run OMP_TARGET_OFFLOAD=DISABLED OMP_TOOL_LIBRARIES=%t.tool TOOL_MODE=plain %t host 2>&1 | %FileCheck %s --check-prefix=HOST --implicit-check-not=WRONG
// RUN: %run LIBOMPTARGET_INFO=2 %t present 2>&1 | %FileCheck %s --check-prefix=PRESENT

// CHECK: ompt: data_op type=1 endpoint=2 source=null:4 destination=set:0 bytes=48 region=-1
// CHECK: ompt: data_op type=1 endpoint=2 source=null:4 destination=set:1 bytes=48 region=-1
// CHECK: == to device
// CHECK: ompt: data_op type=2 endpoint=2 source=set:4 destination=set:0 bytes=48 region=-1
// CHECK: == between devices
// CHECK: ompt: data_op type=3 endpoint=2 source=set:0 destination=set:1 bytes=48 region=-1
// CHECK: == on one device
// CHECK: ompt: data_op type=3 endpoint=2 source=set:0 destination=set:0 bytes=8 region=-1
// CHECK: == rectangle
// CHECK: ompt: data_op type=3 endpoint=2 source=set:1 destination=set:4 bytes=8 region=-1
// CHECK: ompt: data_op type=3 endpoint=2 source=set:1 destination=set:4 bytes=8 region=-1
// CHECK: == rectangle between devices
// CHECK: ompt: data_op type=3 endpoint=2 source=set:1 destination=set:0 bytes=8 region=-1
// CHECK: ompt: data_op type=3 endpoint=2 source=set:1 destination=set:0 bytes=8 region=-1
// CHECK: == associated
// CHECK: ompt: data_op type=5 endpoint=2 source=set:4 destination=set:0 bytes=16 region=-1
// CHECK: ompt: data_op type=6 endpoint=2 source=set:4 destination=null:0 bytes=0 region=-1
// CHECK: == filled
// CHECK: ompt: data_op type=2 endpoint=2 source=null:4 destination=set:0 bytes=48 region=-1
// CHECK: == in a task
// CHECK: ompt: data_op type=2 endpoint=2 source=set:4 destination=set:0 bytes=48 region=-1
// CHECK: == exit data
// CHECK: ompt: target kind=2 endpoint=1
// CHECK: ompt: data_op type=1 endpoint=2
// CHECK: ompt: data_op type=2 endpoint=2
// CHECK: ompt: map item=0 bytes=48 flags=0x1
// CHECK: ompt: target kind=3 endpoint=1
// CHECK: ompt: map item=0 bytes=48 flags=0x2
// CHECK: ompt: data_op type=3 endpoint=2
// CHECK: ompt: data_op type=4 endpoint=2
// CHECK: ompt: target kind=3 endpoint=2
// CHECK: == end
// CHECK: ompt: data_op type=4 endpoint=2
// CHECK: ompt: data_op type=4 endpoint=2
// CHECK: ompt: end, 0 problems

// PROFILE: Copies
// PROFILE-DAG: device 1 {{ *}}from device 0 {{ *}}1 {{ *}}48 B
// PROFILE-DAG: device 0 {{ *}}from device 0 {{ *}}1 {{ *}}8 B
// PROFILE-DAG: device 0 {{ *}}from device 1 {{ *}}2 {{ *}}16 B
// PROFILE-DAG: device 0 {{ *}}filled {{ *}}1 {{ *}}48 B

// Nobody tells when the host is done: the end comes with the begin.
// HOST: ompt: target kind=1 endpoint=1 device=0 task=set region=1
// HOST-NEXT: ompt: target kind=1 endpoint=2 device=0 task=set region=1
// HOST-NEXT: == on the host
// HOST: ompt: end, 0 problems

// PRESENT: omptarget device 0 info: Mapping exists with HstPtrBegin={{.*}}, Size=1, DynRefCount=1 (update suppressed), HoldRefCount=0

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int a[12] = {1, 2, 3, 4}, extra[4];

#define SAY(text) fprintf(stderr, "== " text "\n")

static void routines(int *first, int *second) {
  const int host = omp_get_initial_device();
  const size_t volume[2] = {2, 2}, zero[2] = {0, 0}, whole[2] = {3, 4};
  SAY("to device");
  omp_target_memcpy(first, a, sizeof a, 0, 0, 0, host);
  SAY("between devices");
  omp_target_memcpy(second, first, sizeof a, 0, 0, 1, 0);
  SAY("on one device");
  omp_target_memcpy(first, first + 6, 8, 0, 0, 0, 0);
  SAY("rectangle");
  omp_target_memcpy_rect(a, second, sizeof(int), 2, volume, zero, zero, whole, whole, host, 1);
  SAY("rectangle between devices");
  omp_target_memcpy_rect(first, second, sizeof(int), 2, volume, zero, zero, whole, whole, 0, 1);
  SAY("associated");
  omp_target_associate_ptr(extra, first, sizeof extra, 0, 0);
  omp_target_disassociate_ptr(extra, 0);
  omp_target_memcpy(a, extra, 16, 0, 0, host, host); // no device is concerned
  SAY("filled");
  omp_target_memset(first, 1, sizeof a, 0);
  SAY("in a task");
  omp_target_memcpy_async(first, a, sizeof a, 0, 0, 0, host, 0, NULL);
#pragma omp taskwait
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "host") == 0) {
#pragma omp target map(tofrom : a)
    SAY("on the host");
    return 0;
  }
  if (argc > 1) {
#pragma omp target enter data map(to : a)
    return !omp_target_is_present(a, 0);
  }
  int *first = omp_target_alloc(sizeof a, 0), *second = omp_target_alloc(sizeof a, 1);
  routines(first, second);
  SAY("exit data");
#pragma omp target enter data map(to : a)
#pragma omp target exit data map(from : a)
  SAY("end");
  omp_target_free(first, 0);
  omp_target_free(second, 1);
  return 0;
}
