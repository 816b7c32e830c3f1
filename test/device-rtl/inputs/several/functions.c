// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No kernel: functions that the kernels of the other files call.

#include <omp.h>

#include "several.h"

#pragma omp begin declare target
int own_number(void) { return omp_get_thread_num(); }

void write_numbers(int *where) {
#pragma omp parallel num_threads(THREADS)
  where[omp_get_thread_num()] = omp_get_thread_num();
}

int neighbour_behind_barrier(int *where) {
  const int self = omp_get_thread_num();
  where[self] = self;
#pragma omp barrier
  return where[(self + 1) % omp_get_num_threads()];
}
#pragma omp end declare target
