// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A divergent critical section: each thread of a team goes in alone, lanes of one wave too, so that plain sums are
// right. With LLVM 19's device RTL for NVIDIA's GPUs nothing defines the lock of critical sections, which a driver's
// compiler reports. The lock of 16 excludes no thread there, and is a trap on AMD's. On AMD's GPUs 19's is right.
// RUN: %llvm-clang %s -o %t.llvm
// RUN: %if !clang-19-or-later && emulator-cuda %{ not %run %t.llvm | %FileCheck %s --check-prefix=TOGETHER %}
// RUN: %if !clang-19-or-later && emulator-amdgpu %{ %expect-abort %t.llvm 2>&1 | %FileCheck %s --check-prefix=TRAP %}
// RUN: %if clang-19-or-later && emulator-cuda %{ %expect-abort %t.llvm 2>&1 | %FileCheck %s --check-prefix=UNDEFINED %}
// RUN: %if clang-19-or-later && emulator-amdgpu %{ %run %t.llvm %}
// RUN: %our-clang %s -o %t
// RUN: %run %t
// RUN: %run SIM_EXECUTOR_SEED=7 SIM_EXECUTOR_QUANTUM=3 %t

#include "../programs/one_at_a_time.h"

int main(void) {
  Visits visits = {0};
#pragma omp target map(tofrom : visits)
#pragma omp parallel num_threads(THREADS)
  {
    const int thread = omp_get_thread_num();
    if (goes_in(thread)) {
#pragma omp critical
      visit(&visits, thread);
    }
  }
  check_visits(&visits);
  return finish();
}

// TOGETHER: failed: visits->
// TRAP: trap {{[0-9]+}}: the program ends the kernel
// UNDEFINED: CUDA_ERROR_INVALID_PTX{{.*}}the driver says: unresolved extern function '_ZN4impl{{.*}}CriticalLockEP10omp_lock_t'
