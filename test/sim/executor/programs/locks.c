// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A defect of LLVM's device RTL for NVIDIA's GPUs, of 16 and 19: omp_set_lock returns although another thread has the lock, because
// the result of its compare-and-swap, which says whether it swapped, is taken for the value that was there. 16's critical sections
// have that lock.
// REQUIRES: sim-cuda, rtl-llvm
// RUN: %clang %s -o %t && %run %t lock
// RUN: %if clang-16 %{ %clang -DSECTION %s -o %t.section && %run %t.section %}

#include "check.h"

#define THREADS 96

int main(void) {
  int inside = 0, together = 0;
#pragma omp target map(tofrom : inside, together)
  {
#ifndef SECTION
    omp_lock_t lock;
    omp_init_lock(&lock);
#endif
#pragma omp parallel num_threads(THREADS)
    {
#ifdef SECTION
#pragma omp critical
#else
      omp_set_lock(&lock);
#endif
      {
        // Long enough for other warps to have turns.
        for (int i = 0; i < 200; i++) {
          if (__atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST) != 0)
            __atomic_exchange_n(&together, 1, __ATOMIC_SEQ_CST);
          __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
        }
      }
#ifndef SECTION
      omp_unset_lock(&lock);
#endif
    }
  }
  CHECK_EQ(together, 1); // 0 once the lock excludes
  return finish();
}
