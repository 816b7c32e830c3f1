// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before sm_70 the lanes of a warp have one place in the code, and a warp comes to a barrier as one. Teams that are no
// whole warps keep their barriers, in kernels of both modes. Several lanes that want a lock at once stop the kernel
// with a message.
// REQUIRES: rtl-ours, sm_60
// RUN: %clang %s -o %t
// RUN: %run %t
// RUN: %run SIM_EXECUTOR_SEED=6 SIM_EXECUTOR_QUANTUM=5 %t
// RUN: %clang -DLOCK %s -o %t.lock
// RUN: %expect-abort %t.lock 2>&1 | %FileCheck %s
// CHECK: several lanes of a warp wait for a lock at once, which NVIDIA's GPUs before sm_70 cannot do

#include "check.h"

enum { kThreads = 40 };

static int from[kThreads], to[kThreads];

#pragma omp declare target
static void exchange(int *first, int *second) {
  const int thread = omp_get_thread_num(), last = omp_get_num_threads() - 1;
  first[thread] = thread + 1;
#pragma omp barrier
  second[thread] = first[last - thread];
#pragma omp barrier
  if (thread % 2 == 0)
    first[thread] = second[last - thread];
}
#pragma omp end declare target

static void check(int threads) {
  for (int i = 0; i < kThreads; i++) {
    CHECK_EQ(to[i], i < threads ? threads - i : 0);
    CHECK_EQ(from[i], i < threads ? i + 1 : 0);
    from[i] = to[i] = 0;
  }
}

static void share(int threads) {
#pragma omp target parallel num_threads(threads) thread_limit(64) map(tofrom : from, to)
  exchange(from, to);
  check(threads);
  int before = 0;
#pragma omp target thread_limit(64) map(tofrom : from, to, before)
  {
    int *volatile place = &before;
    *place = threads;
#pragma omp parallel num_threads(threads)
    exchange(from, to);
  }
  CHECK_EQ(before, threads);
  check(threads);
}

#ifdef LOCK
int main(void) {
  omp_lock_t lock;
  int count = 0;
#pragma omp target parallel num_threads(32) map(alloc : lock) map(tofrom : count)
  {
#pragma omp single
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    count++;
    omp_unset_lock(&lock);
  }
  CHECK_EQ(count, 32);
  return finish();
}
#else
int main(void) {
  share(1);
  share(20);
  share(32);
  share(kThreads);
  return finish();
}
#endif
