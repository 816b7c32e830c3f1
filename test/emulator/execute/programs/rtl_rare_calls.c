// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs that a clang has a call for and LLVM's device RTL of its version has not (an image that nobody links).
// These are hints, masked and error by clang 16, strict parts of task loops by 22, affinity of tasks, dependence
// objects. And what __kmpc_get_hardware_* and __kmpc_get_warp_size answer, which clang's code for reductions and
// generic kernels calls.
// REQUIRES: rtl-ours
// RUN: %clang -fopenmp-version=51 %s -o %t
// RUN: %run %t | %FileCheck %s
// CHECK-DAG: OpenMP warning: the fourth iteration
// CHECK-DAG: ok

#include "check.h"

#include <stdio.h>

enum { kTeams = 3, kThreads = 160, kCount = 100 };

#pragma omp begin declare target
#if defined(__NVPTX__) || defined(__AMDGCN__)
unsigned __kmpc_get_hardware_thread_id_in_block(void);
unsigned __kmpc_get_hardware_num_threads_in_block(void);
unsigned __kmpc_get_warp_size(void);
unsigned long long __kmpc_warp_active_thread_mask(void);
static unsigned thread_id(void) { return __kmpc_get_hardware_thread_id_in_block(); }
static unsigned block_size(void) { return __kmpc_get_hardware_num_threads_in_block(); }
static unsigned warp_size(void) { return __kmpc_get_warp_size(); }
static unsigned lanes(void) { return (unsigned)__builtin_popcountll(__kmpc_warp_active_thread_mask()); }
#else
static unsigned thread_id(void) { return 0; }
static unsigned block_size(void) { return 0; }
static unsigned warp_size(void) { return 0; }
static unsigned lanes(void) { return 0; }
#endif
#pragma omp end declare target

/// One team whose threads are the block's, and one whose main thread has a warp more.
static void places(void) {
  int seen[kTeams * kThreads] = {0}, wrong = 0, warp = 0, full = 0;
#pragma omp target teams num_teams(kTeams) thread_limit(kThreads) map(tofrom : seen, wrong, warp, full)
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp atomic
    seen[omp_get_team_num() * kThreads + (int)thread_id()] += 1;
    if (block_size() != kThreads || thread_id() != (unsigned)omp_get_thread_num()) {
#pragma omp atomic
      wrong += 1;
    }
    if (omp_get_team_num() == 0 && omp_get_thread_num() == 0) {
      warp = (int)warp_size();
      full = (int)block_size();
    }
  }
  for (int i = 0; i < kTeams * kThreads; ++i)
    CHECK_EQ(seen[i], 1);
  CHECK_EQ(wrong, 0);
  CHECK_EQ(warp == 32 || warp == 64, 1);
  CHECK_EQ(full, kThreads);

  int main_id = 0, generic_size = 0, threads = 0, most = 0;
#pragma omp target thread_limit(128) map(tofrom : main_id, generic_size, threads, most)
  {
    main_id = (int)thread_id();
    generic_size = (int)block_size();
#pragma omp parallel
    {
      const int with = (int)lanes();
#pragma omp atomic
      threads += 1;
#pragma omp critical
      if (with > most)
        most = with;
    }
  }
  CHECK_EQ(threads, 128);
  CHECK_EQ(generic_size == 128 || generic_size == 128 + warp, 1); // as the compiler may share the region among all
  CHECK_EQ(main_id == 0 || main_id == 128, 1);
  CHECK_EQ(most <= warp && most >= 1, 1);
}

static void hints(void) {
  int sum = 0, filtered = 0, taken = 0;
#pragma omp target map(tofrom : sum, filtered, taken)
  {
#pragma omp parallel num_threads(64)
    {
#pragma omp critical(rare_calls) hint(omp_sync_hint_contended)
      sum += 1;
#pragma omp masked filter(3)
      filtered += omp_get_thread_num();
    }
    omp_lock_t lock;
    omp_init_lock_with_hint(&lock, omp_sync_hint_none);
    taken += omp_test_lock(&lock);
    omp_unset_lock(&lock);
    omp_nest_lock_t nest;
    omp_init_nest_lock_with_hint(&nest, omp_sync_hint_none);
    omp_set_nest_lock(&nest);
    taken += omp_test_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
  }
  CHECK_EQ(sum, 64);
  CHECK_EQ(filtered, 3);
  CHECK_EQ(taken, 3);
}

static void tasks(void) {
  int values[kCount] = {0}, order = 0;
#pragma omp target map(tofrom : values, order)
  {
#pragma omp taskloop grainsize(strict : 7) shared(values)
    for (int i = 0; i < kCount; ++i)
      values[i] += i;
#pragma omp taskloop num_tasks(strict : 3) shared(values)
    for (int i = 0; i < kCount; ++i)
      values[i] += 1;
#if __clang_major__ >= 22 // before, its code generators for GPUs refuse arrays whose size is not known
    omp_depend_t written;
#pragma omp depobj(written) depend(out : order)
#pragma omp task depend(depobj : written) affinity(values) shared(order)
    order = 1;
#pragma omp depobj(written) destroy
#else
#pragma omp task depend(out : order) affinity(values) shared(order)
    order = 1;
#endif
#pragma omp task depend(inout : order) shared(order)
    order = order == 1 ? 2 : -1;
#pragma omp taskwait depend(in : order)
  }
  for (int i = 0; i < kCount; ++i)
    CHECK_EQ(values[i], i + 1);
  CHECK_EQ(order, 2);
}

static void told(void) {
#pragma omp target
  for (int i = 0; i < 5; ++i) {
    if (i == 3) {
#pragma omp error at(execution) severity(warning) message("the fourth iteration")
    }
  }
}

int main(void) {
  places();
  hints();
  tasks();
  told();
  return finish();
}
