// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omptarget-run tells what a line's instructions do with registers, of all threads or of one. It tells variables, too,
// where the compiler says that they are in registers, which clang does for AMD's GPUs.
// RUN: %clang -g %s -o %t
// RUN: env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run --break=breakpoints.c:20 --break-thread=37 --break-block=1 %t 2>&1 | %FileCheck %s
// RUN: env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run --break=20 %t 2>&1 | %FileCheck %s --check-prefix=ALL
// RUN: env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run --break=other.c:20 %t 2>&1 | %FileCheck %s --check-prefix=OTHER
// RUN: env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run --break=breakpoints.c:22 %t 2>&1 | %FileCheck %s --check-prefix=NEAR
// RUN: %if emulator-amdgpu %{ env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run --break=20 --break-thread=37 %t 2>&1 | %FileCheck %s --check-prefix=VARIABLES %}
// RUN: not %prefix/bin/omptarget-run --break=nowhere %t 2>&1 | %FileCheck %s --check-prefix=BREAK
// RUN: not %prefix/bin/omptarget-run --break-thread=-1 %t 2>&1 | %FileCheck %s --check-prefix=THREAD
// RUN: not env SIM_EXECUTOR_BREAK=7:x LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run %t 2>&1 | %FileCheck %s --check-prefix=SETTING

#include "check.h"

#pragma omp begin declare target
static __attribute__((noinline)) int scaled(int value, int factor) {
  return value * factor + 1;
}
#pragma omp end declare target

int main(int argc, char **argv) {
  int values[256];
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(128) map(from : values) firstprivate(argc)
  for (int i = 0; i < 256; ++i)
    values[i] = scaled(i, argc + 2);
  CHECK_EQ(values[255], 255 * 3 + 1);
  return finish();
}

// 128 + 37 is 165; times 3 plus 1 is 496.
// CHECK-NOT: thread 36
// CHECK: breakpoints.c:20, block 1, thread 37: {{.*}} ; {{.*}}->496
// CHECK-NOT: thread 36
// CHECK: ok
// ALL-DAG: breakpoints.c:20, block 0, thread 3: {{.*}}->10
// ALL-DAG: breakpoints.c:20, block 1, thread 127: {{.*}}->766
// ALL: ok
// OTHER-NOT: thread
// OTHER: executor: no instruction has run where it was to be told (SIM_EXECUTOR_BREAK); source lines need -gline-tables-only
// NEAR: executor: no instruction has run where it was to be told (SIM_EXECUTOR_BREAK); lines near 22 that have run: {{.*}}20
// VARIABLES: breakpoints.c:20, block {{[01]}}, thread 37: variables{{.*}}  value = {{37|165}}
// BREAK: omptarget-run: --break=nowhere: LINE or FILE:LINE is expected
// THREAD: omptarget-run: --break-thread=-1: a number is expected
// SETTING: executor: SIM_EXECUTOR_BREAK=7:x: LINE or FILE:LINE is expected
