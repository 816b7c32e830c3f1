// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel goes on behind findings of races, unwritten memory, barriers and shuffles that are suppressed, to its end.
// One that is not suppressed ends it.
// RUN: %clang -gline-tables-only %s -o %t
// RUN: echo "race suppressed.c *nothing orders the two*  # known" >%t.race
// RUN: echo "race suppressed.c:[45]? *of shared memory*  # known" >%t.shared
// RUN: echo "unwritten *  # known" >%t.unwritten
// RUN: echo "execution suppressed.c  # known" >%t.execution
// RUN: %run SIM_EXECUTOR_SUPPRESSIONS=%t.race SIM_EXECUTOR_GLOBAL_RACES=1 %t sum 2>&1 | %FileCheck %s --check-prefixes=ALL,SUM
// RUN: %run SIM_EXECUTOR_SUPPRESSIONS=%t.shared SIM_EXECUTOR_RACES=1 %t shared 2>&1 | %FileCheck %s --check-prefixes=ALL,SHARED
// RUN: %run SIM_EXECUTOR_SUPPRESSIONS=%t.unwritten SIM_EXECUTOR_UNWRITTEN=1 %t branch 2>&1 | %FileCheck %s --check-prefixes=ALL,BRANCH
// RUN: %run SIM_EXECUTOR_SUPPRESSIONS=%t.execution SIM_EXECUTOR_STRICT_BARRIERS=1 %t barrier 2>&1 | %FileCheck %s --check-prefixes=ALL,BARRIER
// RUN: %run SIM_EXECUTOR_SUPPRESSIONS=%t.execution SIM_EXECUTOR_STRICT_LANES=1 %t shuffle 2>&1 | %FileCheck %s --check-prefixes=ALL,SHUFFLE
// RUN: %expect-abort SIM_EXECUTOR_SUPPRESSIONS=%t.execution SIM_EXECUTOR_GLOBAL_RACES=1 %t sum 2>&1 | %FileCheck %s --check-prefix=OTHER

#include "check.h"

#include <string.h>

#define THREADS 128

#ifdef __NVPTX__
#define END_THREAD() __asm__ volatile("exit;")
#define BARRIER() __nvvm_bar_sync(3)
#define FROM_FIRST_LANE(value) __nvvm_shfl_sync_idx_i32(0xAAAAAAAA, value, 0, 31)
#elif defined(__AMDGCN__)
#define END_THREAD() __asm__ volatile("s_endpgm")
#define BARRIER() (__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"), __builtin_amdgcn_s_barrier())
#define FROM_FIRST_LANE(value) __builtin_amdgcn_ds_bpermute(0, value)
#else
#define END_THREAD() (void)0
#define BARRIER() (void)0
#define FROM_FIRST_LANE(value) (value)
#endif

enum Finding { kNone, kSum, kShared, kBranch, kBarrier, kShuffle };
static const char *const kNames[] = {"none", "sum", "shared", "branch", "barrier", "shuffle"};

static void run(int finding, int *results) {
  int sum = 0, fresh[THREADS];
  // clang-format off
#pragma omp target teams num_teams(2) thread_limit(THREADS) map(tofrom : results[:2 * THREADS], sum) map(alloc : fresh) firstprivate(finding)
  { int buffer[THREADS];
#pragma omp parallel num_threads(THREADS)
    { const int me = omp_get_thread_num(), team = omp_get_team_num();
      buffer[me] = me;
      if (finding != kShared) BARRIER();
      const int value = buffer[THREADS - 1 - me];
      if (finding == kSum && me == 0) sum += value;
      if (finding == kBranch && fresh[me] > 5) __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
      if (finding == kBarrier && me >= THREADS / 2) END_THREAD();
      if (finding == kBarrier) BARRIER();
      if (finding == kShuffle && (me & 1) && FROM_FIRST_LANE(value) > 5) __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
      results[team * THREADS + me] = value + 1; } }
  // clang-format on
}

int main(int argc, char **argv) {
  int results[2 * THREADS] = {0}, finding = 0;
  while (argc > 1 && strcmp(kNames[finding], argv[1]) != 0)
    ++finding;
  run(finding, results);
  for (int i = 0; i < 2 * THREADS; ++i)
    CHECK((results[i] != 0) == (finding != kBarrier || i % THREADS < THREADS / 2));
  return finish();
}

// SUM: stand-in: (suppressed) kernel {{.*}}, and nothing orders the two
// SHARED: stand-in: (suppressed) kernel {{.*}} of shared memory at
// BRANCH: stand-in: (suppressed) kernel {{.*}}: which way a branch goes depends on memory that nobody wrote
// BARRIER: stand-in: (suppressed) kernel {{.*}}: a barrier that not all threads reach
// SHUFFLE: stand-in: (suppressed) kernel {{.*}}: which way a branch goes depends on a shuffle's value from a lane that does not take part
// ALL-NEXT: suppressed.c:
// ALL: ok
// OTHER: stand-in: kernel {{.*}}, and nothing orders the two
