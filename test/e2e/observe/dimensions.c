// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Information, the trace, profiles and tools tell all dimensions of a launch. Tools get the number of all teams.

// REQUIRES: clang-22-or-later, runtime-omptarget
// UNSUPPORTED: sanitizer
// RUN: %clang -g %s -o %t
// RUN: %plainclang -shared -fPIC %inputs/ompt_tool.c -o %t.tool
// RUN: %run LIBOMPTARGET_INFO=16 LIBOMPTARGET_DEBUG=kernel LIBOMPTARGET_PROFILE=%t.json %t 2>&1 | %check
// RUN: %FileCheck %s --check-prefix=PROFILE < %t.json
// RUN: %run OMP_TOOL_LIBRARIES=%t.tool %t 2>&1 | %FileCheck %s --check-prefix=TOOL --implicit-check-not=WRONG

// CHECK: launching main, line {{[0-9]+}} ({{.*}}) with 1 arguments, [2,4,6] teams, [32,4,2] threads
// CHECK: info: Launching kernel {{.*}}_main_l{{[0-9]+}} with [2,4,6] blocks and [32,4,2] threads in {{Generic|BARE}} mode
// CHECK: launching main, line {{[0-9]+}} ({{.*}}) with 1 arguments, 1 teams, as many threads as the device chooses
// CHECK: info: Launching kernel {{.*}}_main_l{{[0-9]+}} with 1 blocks and {{[0-9]+}} threads in
// PROFILE: "teams":"[2,4,6]","threads":"[32,4,2]"
// PROFILE: "teams":"1"
// TOOL: ompt: submit endpoint=1 teams=48
// TOOL: ompt: submit endpoint=1 teams=1
// TOOL: ompt: end, 0 problems

#include "check.h"

int main(void) {
  int value = 0;
#pragma omp target teams ompx_bare num_teams(2, 4, 6) thread_limit(32, 4, 2) map(tofrom : value)
  value = 1;
#pragma omp target map(tofrom : value)
  {
    HERE();
    value += 1;
  }
  CHECK_EQ(value, 2);
  return finish();
}
