// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lane waits for another one of its wave. AMD's GPUs do not promise that this ends, and the message says so. Lanes of
// NVIDIA's GPUs go on by turns.
// RUN: %clang -gline-tables-only %s -o %t
// RUN: %if emulator-amdgpu %{ %expect-abort SIM_EXECUTOR_BUDGET=1000000 %t 2>&1 | %FileCheck %s --check-prefix=WAVE %}
// RUN: %if emulator-amdgpu %{ %expect-abort SIM_EXECUTOR_BUDGET=1000000 SIM_EXECUTOR_INTERPRET=1 %t 2>&1 | %FileCheck %s --check-prefix=WAVE %}
// RUN: %if emulator-cuda %{ %run %t 2>&1 | %FileCheck %s --check-prefix=TURNS %}

#include "check.h"

int main(void) {
  int is_set = 0, value = 0;
  // clang-format off
#pragma omp target parallel num_threads(2) map(tofrom : is_set, value)
  {
    if (omp_get_thread_num() == 0) {
      value = 7;
#pragma omp flush
#pragma omp atomic write
      is_set = 1;
    } else {
      int seen;
      do {
#pragma omp atomic read
        seen = is_set;
      } while (!seen);
#pragma omp flush
      value += 1;
    }
  }
  // clang-format on
  CHECK_EQ(value, 8);
  return finish();
}

// WAVE: the launch has executed {{[0-9]+}} instructions and does not end (SIM_EXECUTOR_BUDGET); only lanes 1 of the wave's 0-1 go on here
// WAVE-SAME: AMD's GPUs do not let lanes of a wave go on by turns
// WAVE-NEXT: lane_spin.c:{{2[6-9]}} {{.*}}and its wave
// TURNS: ok
