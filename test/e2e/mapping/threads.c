// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight threads on four devices: the same data entered and left by all, and data of each thread's own.

// RUN: %clang %s -o %t
// RUN: %run %t
// LLVM 15's library sometimes does not find data that another thread has just removed.
// UNSUPPORTED: runtime-llvm-15

#include "check.h"

#define N 512
static int shared[N];

static int one_round(int thread, int round, int *own) {
  int device = (thread + round) % omp_get_num_devices(), sum = 0, wrong = 0;
  own[0] = round;
#pragma omp target enter data device(device) map(to : shared, own[0 : 8])
#pragma omp target device(device) map(to : shared) map(tofrom : own[0 : 8], sum)
  {
    HERE();
    for (int i = 0; i < N; i++)
      sum += shared[i];
    own[0] += 1000;
  }
  wrong += sum != N * (N - 1) / 2;
#pragma omp target update device(device) from(own[0 : 1])
  wrong += own[0] != round + 1000;
#pragma omp target exit data device(device) map(from : own[0 : 8]) map(release : shared)
  return wrong;
}

int main(void) {
  int wrong = 0, own[8][8] = {{0}};
  for (int i = 0; i < N; i++)
    shared[i] = i;
#pragma omp parallel num_threads(8) reduction(+ : wrong)
  for (int round = 0; round < 300; round++)
    wrong += one_round(omp_get_thread_num(), round, own[omp_get_thread_num()]);
  CHECK_EQ(wrong, 0);
  for (int device = 0; device < omp_get_num_devices(); device++) {
    CHECK(!omp_target_is_present(shared, device));
    CHECK(!omp_target_is_present(own[3], device));
  }
  return finish();
}
