// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks exclude. LLVM's of 16 and 19 do not. For NVIDIA's GPUs omp_set_lock returns although another thread has the
// lock. It takes the result of its compare-and-swap, which says whether it swapped, for the value that was there. For
// AMD's it is a trap. One thread of each wave takes the lock, as lanes of a wave of AMD's cannot wait for each other.
// RUN: %llvm-clang %s -o %t.llvm
// RUN: %if emulator-cuda %{ not %run %t.llvm | %FileCheck %s --check-prefix=TOGETHER %}
// RUN: %if emulator-amdgpu %{ %expect-abort %t.llvm 2>&1 | %FileCheck %s --check-prefix=TRAP %}
// RUN: %our-clang %s -o %t
// RUN: %run %t
// RUN: %run SIM_EXECUTOR_SEED=7 SIM_EXECUTOR_QUANTUM=3 %t
// RUN: %run SIM_EXECUTOR_SEED=8 SIM_EXECUTOR_QUANTUM=1000 %t

#include "check.h"

#define THREADS 128

int main(void) {
  int inside = 0, together = 0, visits = 0;
#pragma omp target map(tofrom : inside, together, visits)
  {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(THREADS)
    if (omp_get_thread_num() % 64 == 0) {
      omp_set_lock(&lock);
      // Long enough for other warps to have turns.
      for (int i = 0; i < 200; i++) {
        if (__atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST) != 0)
          __atomic_exchange_n(&together, 1, __ATOMIC_SEQ_CST);
        __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
      }
      visits++;
      omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
  }
  CHECK_EQ(together, 0);
  CHECK_EQ(visits, THREADS / 64);
  return finish();
}

// TOGETHER: failed: together: is 1, wanted 0
// TRAP: trap {{[0-9]+}}: the program ends the kernel
