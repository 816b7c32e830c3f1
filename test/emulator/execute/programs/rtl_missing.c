// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs for which compilers call functions that no device RTL has: what says so names the function. It is the
// linker for AMD's GPUs, the plugin for NVIDIA's PTX.
// REQUIRES: rtl-ours
// RUN: %if emulator-amdgpu %{ not %clang -DKIND=1 %s -o %t 2>&1 | %FileCheck %s --check-prefix=ACROSS %}
// RUN: %if emulator-amdgpu %{ not %clang -DKIND=2 %s -o %t 2>&1 | %FileCheck %s --check-prefix=COPY %}
// RUN: %if emulator-amdgpu %{ not %clang -DKIND=3 %s -o %t 2>&1 | %FileCheck %s --check-prefix=EVENT %}
// RUN: %if emulator-cuda %{ %clang -DKIND=1 %s -o %t && %expect-abort %t 2>&1 | %FileCheck %s --check-prefix=ACROSS %}
// RUN: %if emulator-cuda %{ %clang -DKIND=2 %s -o %t && %expect-abort %t 2>&1 | %FileCheck %s --check-prefix=COPY %}
// RUN: %if emulator-cuda %{ %clang -DKIND=3 %s -o %t && %expect-abort %t 2>&1 | %FileCheck %s --check-prefix=EVENT %}

// ACROSS: {{undefined symbol: |unresolved extern function '}}__kmpc_doacross_init
// COPY: {{undefined symbol: |unresolved extern function '}}__kmpc_copyprivate
// EVENT: {{undefined symbol: |unresolved extern function '}}__kmpc_task_allow_completion_event

#include "check.h"

int main(void) {
  int sum = 0;
#pragma omp target map(tofrom : sum)
  {
#if KIND == 1
#pragma omp parallel for ordered(1)
    for (int i = 1; i < 10; ++i) {
#pragma omp ordered depend(sink : i - 1)
      sum += i;
#pragma omp ordered depend(source)
    }
#elif KIND == 2
#pragma omp parallel
    {
      int value;
#pragma omp single copyprivate(value)
      value = 3;
#pragma omp atomic
      sum += value;
    }
#else
    omp_event_handle_t event;
#pragma omp task detach(event)
    omp_fulfill_event(event);
#pragma omp taskwait
#endif
  }
  return finish();
}
