// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A divergent critical section: each thread of a team goes in alone, lanes of one wave too, so that plain sums are right.
// LLVM 19's device RTL leaves the lock of critical sections undefined for NVIDIA's GPUs.
// REQUIRES: sim-amdgpu || rtl-ours
// RUN: %clang %s -o %t && %run %t

#include "one_at_a_time.h"

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
