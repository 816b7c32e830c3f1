// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that lanes of a wave exchange: ballots in divergent code, shuffles, the masks of active lanes.
// RUN: %clang %s -o %t && %run %t

#include "check.h"

#include <stdint.h>

#define THREADS 128

// The device RTL has these; the host's version of the region is never run.
#if defined(__AMDGCN__) || defined(__NVPTX__)
#define ON_DEVICE(declaration, value) declaration;
#else
#define ON_DEVICE(declaration, value) static declaration { return value; }
#endif
#pragma omp begin declare target
ON_DEVICE(uint64_t ompx_ballot_sync(uint64_t mask, int predicate), mask + predicate)
ON_DEVICE(int __kmpc_shuffle_int32(int value, short delta, short width), value + delta + width)
ON_DEVICE(int64_t __kmpc_shuffle_int64(int64_t value, short delta, short width), value + delta + width)
ON_DEVICE(uint64_t __kmpc_warp_active_thread_mask(void), 0)
ON_DEVICE(int __kmpc_get_warp_size(void), 0)
#pragma omp end declare target

int main(void) {
  uint64_t all[THREADS], odd[THREADS], active[THREADS];
  int shuffled[THREADS], size = 0;
  int64_t wide[THREADS];
  for (int i = 0; i < THREADS; ++i)
    all[i] = odd[i] = active[i] = shuffled[i] = wide[i] = 0;
#pragma omp target parallel num_threads(THREADS) map(tofrom : all, odd, active, shuffled, wide, size)
  {
    const int thread = omp_get_thread_num();
    all[thread] = ompx_ballot_sync(~(uint64_t)0, thread % 5 == 0);
    if (thread % 2 == 1) {
      active[thread] = __kmpc_warp_active_thread_mask();
      odd[thread] = ompx_ballot_sync(active[thread], thread % 3 == 0);
    }
    shuffled[thread] = __kmpc_shuffle_int32(thread * 7, 4, 32);
    wide[thread] = __kmpc_shuffle_int64(((int64_t)thread << 40) + 3, 8, 32);
    if (thread == 0)
      size = __kmpc_get_warp_size();
  }
  CHECK(size == 32 || size == 64);
  for (int i = 0; i < THREADS; ++i) {
    uint64_t wanted_all = 0, wanted_odd = 0, wanted_active = 0;
    for (int lane = 0; lane < size; ++lane) {
      const int thread = i / size * size + lane;
      wanted_all |= (uint64_t)(thread % 5 == 0) << lane;
      wanted_odd |= (uint64_t)(thread % 2 == 1 && thread % 3 == 0) << lane;
      wanted_active |= (uint64_t)(thread % 2 == 1) << lane;
    }
    CHECK_EQ(all[i], wanted_all);
    CHECK_EQ(odd[i], i % 2 == 1 ? wanted_odd : 0);
    CHECK_EQ(active[i], i % 2 == 1 ? wanted_active : 0);
    if (i % 32 < 28)
      CHECK_EQ(shuffled[i], (i + 4) * 7);
    if (i % 32 < 24)
      CHECK_EQ(wide[i], ((int64_t)(i + 8) << 40) + 3);
  }
  return finish();
}
