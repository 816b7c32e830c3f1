// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nest locks, which LLVM's device RTLs do not have.
// RUN: %if emulator-cuda %{ %llvm-clang %s -o %t.llvm %}
// RUN: %if emulator-cuda %{ %expect-abort %t.llvm 2>&1 | %FileCheck %s --check-prefix=MISSING %}
// RUN: %if emulator-amdgpu %{ not %llvm-clang %s -o %t.llvm 2>&1 | %FileCheck %s --check-prefix=MISSING %}
// RUN: %our-clang %s -o %t
// RUN: %run %t
// RUN: %run SIM_EXECUTOR_SEED=7 SIM_EXECUTOR_QUANTUM=3 %t

#include "check.h"

#define THREADS 128

int main(void) {
  int depth = 0, inside = 0, together = 0;
#pragma omp target map(tofrom : depth, inside, together)
  {
    omp_nest_lock_t nest;
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(THREADS)
    if (omp_get_thread_num() % 64 == 0) {
      omp_set_nest_lock(&nest);
      depth += omp_test_nest_lock(&nest);
      omp_unset_nest_lock(&nest);
      for (int i = 0; i < 50; i++) {
        if (__atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST) != 0)
          __atomic_exchange_n(&together, 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
      }
      omp_unset_nest_lock(&nest);
    }
    omp_destroy_nest_lock(&nest);
  }
  CHECK_EQ(together, 0);
  CHECK_EQ(depth, 2 * (THREADS / 64));
  return finish();
}

// MISSING: {{undefined symbol: |unresolved extern function '}}omp_{{init|set|test|unset|destroy}}_nest_lock
