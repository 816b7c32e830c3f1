// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for a GPU that counts what it does. The counters go to a file that llvm-profdata reads, with every count as it
// must be, and compilers use them. Two devices of a process add up, and so do processes under a name with %m. Under any
// other name a process replaces the file of another.
// REQUIRES: rtl-ours && emulator-amdgpu && profdata
// RUN: %clang %profiling %s -o %t
// RUN: rm -rf %t.d
// RUN: %run LLVM_PROFILE_FILE=%t.d/deeper/x.profraw %t 1
// RUN: %profdata show --all-functions --counts %t.d/deeper/amdgcn-amd-amdhsa.x.profraw | %FileCheck %s --check-prefix=ONE
// RUN: %run LLVM_PROFILE_FILE=%t.d/deeper/x.profraw LIBOMPTARGET_DEVICE_RTL_DEBUG=16 %t 2 exit 2>&1 | %FileCheck %s --check-prefix=TOLD
// RUN: %profdata show --all-functions --counts %t.d/deeper/amdgcn-amd-amdhsa.x.profraw | %FileCheck %s --check-prefix=TWO
// RUN: %run LLVM_PROFILE_FILE=%t.d/sum_%m.profraw %t 1
// RUN: %run LLVM_PROFILE_FILE=%t.d/sum_%m.profraw %t 1
// RUN: %profdata show --all-functions --counts %t.d/amdgcn-amd-amdhsa.sum_*_0.profraw | %FileCheck %s --check-prefix=TWO
// RUN: echo something else > %t.d/amdgcn-amd-amdhsa.else.profraw
// RUN: mkdir %t.d/amdgcn-amd-amdhsa.folder.profraw
// RUN: %run LLVM_PROFILE_FILE=%t.d/folder.profraw %t 1 2>&1 | %FileCheck %s --check-prefix=FOLDER
// RUN: %run LLVM_PROFILE_FILE=%t.d/else.profraw %t 1
// RUN: %profdata show --all-functions --counts %t.d/amdgcn-amd-amdhsa.else.profraw | %FileCheck %s --check-prefix=ONE
// RUN: %if profiling-of-devices %{ %clang %covering %s -o %t.cover %}
// RUN: %if profiling-of-devices %{ %run LLVM_PROFILE_FILE=%t.d/cover.profraw %t.cover 1 %}
// RUN: %if profiling-of-devices %{ %profdata show --all-functions --counts %t.d/amdgcn-amd-amdhsa.cover.profraw | %FileCheck %s --check-prefix=COVER %}
// RUN: %profdata merge %t.d/deeper/amdgcn-amd-amdhsa.x.profraw -o %t.profdata
// RUN: %if profiling-of-devices %{ %clang -Xarch_device -fprofile-use=%t.profdata --offload-device-only -emit-llvm -S %s -o - | %FileCheck %s --check-prefix=USE %}

// 100 calls, 66 of them with numbers that 3 does not divide, 6 of these beyond 90.
// ONE: rtl_profile.c{{[:;]}}value_of:
// ONE-NEXT: Hash
// ONE-NEXT: Counters: 3
// ONE-NEXT: Block counts: [100, 66, 6]
// TWO: rtl_profile.c{{[:;]}}value_of:
// TWO-NEXT: Hash
// TWO-NEXT: Counters: 3
// TWO-NEXT: Block counts: [200, 132, 12]
// COVER: rtl_profile.c:value_of:
// COVER: Function count: 100
// COVER-NEXT: Block counts: [34, 6]
// TOLD: device 0 info: profile: function 0x{{[0-9a-f]+}}: 100 66 6
// TOLD: device 1 info: profile: function 0x{{[0-9a-f]+}}: 100 66 6
// FOLDER: omptarget warning: device 0: the counters of an image's code (-fprofile-generate) are lost: cannot write '{{.*}}folder.profraw': {{.*}}irectory
// FOLDER: ok
// USE: define {{.*}}value_of({{.*}} !prof ![[ENTRY:[0-9]+]]
// USE-DAG: ![[ENTRY]] = !{!"function_entry_count", i64 200}
// USE-DAG: !{!"branch_weights", i32 68, i32 132}

#include "check.h"

#include <stdlib.h>

#if (defined(__AMDGCN__) || defined(__NVPTX__)) && defined(VERSION)
// The version of the format, which compilers define for -fprofile-generate only.
#pragma omp begin declare target device_type(nohost)
const unsigned long __llvm_profile_raw_version = VERSION;
#pragma omp end declare target
#endif

#pragma omp begin declare target
__attribute__((noinline)) static int value_of(int i) {
  if (i % 3 == 0)
    return 7;
  if (i > 90)
    return omp_get_num_teams() * 2; // no choice between numbers, which is counted otherwise
  return i;
}
#pragma omp end declare target

int main(int count, char **words) {
  for (int device = 0; device < atoi(words[1]); ++device) {
    int values[100];
    // One team: some compilers count one of eight.
#pragma omp target teams distribute parallel for num_teams(1) thread_limit(64) device(device) map(from : values)
    for (int i = 0; i < 100; ++i)
      values[i] = value_of(i);
    int sum = 0;
    for (int i = 0; i < 100; ++i)
      sum += values[i];
    CHECK_EQ(sum, 34 * 7 + 6 * 2 + 90 * 91 / 2 - 3 * 30 * 31 / 2);
  }
  if (count > 2)
    exit(finish());
  return finish();
}
