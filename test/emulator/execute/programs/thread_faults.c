// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races and faults between threads. AMD's GPUs have no barrier of single lanes, and their addresses do not tell whose
// stack or shared memory they are.
// RUN: %clang -gline-tables-only %s -o %t
// RUN: %run SIM_EXECUTOR_RACES=1 SIM_EXECUTOR_STRICT_LANES=1 %t none | %FileCheck %s --check-prefix=NONE
// RUN: %expect-abort SIM_EXECUTOR_RACES=1 %t race 2>&1 | %FileCheck %s --check-prefix=RACE
// RUN: %run SIM_EXECUTOR_STRICT_LANES=1 %t shuffle 2>&1 | %FileCheck %s --check-prefix=SHUFFLE
// RUN: %if emulator-cuda %{ %expect-abort %t unaligned 2>&1 | %FileCheck %s --check-prefix=UNALIGNED %}
// RUN: %if emulator-cuda %{ %expect-abort %t apart 2>&1 | %FileCheck %s --check-prefix=APART %}
// RUN: %if emulator-cuda %{ %expect-abort %t vote 2>&1 | %FileCheck %s --check-prefix=VOTE %}
// RUN: %if emulator-cuda %{ %expect-abort %t block 2>&1 | %FileCheck %s --check-prefix=BLOCK %}
// RUN: %if emulator-cuda %{ %expect-abort %t stack 2>&1 | %FileCheck %s --check-prefix=STACK %}
// RUN: %if emulator-cuda %{ %expect-abort %t misaligned 2>&1 | %FileCheck %s --check-prefix=MISALIGNED %}

#include "check.h"

#include <stdint.h>
#include <string.h>

#define THREADS 128

#ifdef __NVPTX__
#define BARRIER() __nvvm_bar_sync(3)
#define FROM_FIRST_LANE(value) __nvvm_shfl_sync_idx_i32(0xAAAAAAAA, value, 0, 31)
#define VOTE() __nvvm_vote_ballot_sync(~0u, 1)
#elif defined(__AMDGCN__)
#define BARRIER() (__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"), __builtin_amdgcn_s_barrier())
#define FROM_FIRST_LANE(value) __builtin_amdgcn_ds_bpermute(0, value)
#define VOTE() 0
#else
#define BARRIER() (void)0
#define FROM_FIRST_LANE(value) (value)
#define VOTE() 0
#endif

enum Fault { kNone, kRace, kShuffle, kUnaligned, kVote, kBlock, kStack, kMisaligned, kApart };
static const char *const kNames[] = {"none",  "race",  "shuffle",    "unaligned", "vote",
                                     "block", "stack", "misaligned", "apart"};

static int commit(int fault, int *results, int **places) {
  int sum = 0;
  // clang-format off
#pragma omp target teams num_teams(2) thread_limit(THREADS) map(tofrom : results[:2 * THREADS], places[:2], sum) firstprivate(fault)
  { int buffer[THREADS];
#pragma omp parallel num_threads(THREADS)
    { const int me = omp_get_thread_num(), team = omp_get_team_num(); int value = me; volatile int mine = me;
      buffer[me] = me + team;
      if (fault != kRace) BARRIER();
      value += buffer[THREADS - 1 - me];
      if (fault == kShuffle && (me & 1))
        value += FROM_FIRST_LANE(value);
      if (fault == kUnaligned && (me & 1))
        BARRIER();
      if (fault == kVote && (me & 1))
        value += VOTE();
      if (fault == kBlock && team == 0 && me == 0)
        __atomic_exchange_n(&places[0], &buffer[5], __ATOMIC_SEQ_CST);
      if (fault == kStack && me == 0)
        __atomic_exchange_n(&places[team], (int *)&mine, __ATOMIC_SEQ_CST);
      if ((fault == kBlock && team == 1 && me == 37) || (fault == kStack && me == 37)) {
        int *place = 0;
        while (!place)
          place = __atomic_fetch_add(&places[fault == kBlock ? 0 : team], 0, __ATOMIC_SEQ_CST);
        value += *place;
      }
      if (fault == kMisaligned && me == 37)
        value += *(volatile int *)((char *)results + 2);
#ifdef __NVPTX__
      if (fault == kApart && (me & 1)) { __asm__ volatile("bar.sync 3; // odd"); }
      else if (fault == kApart) { __asm__ volatile("bar.sync 3; // even"); }
#endif
      results[team * THREADS + me] = value + (mine - me); } }
  // clang-format on
  return sum;
}

int main(int argc, char **argv) {
  int results[2 * THREADS] = {0}, *places[2] = {0}, fault = 0;
  while (argc > 1 && strcmp(kNames[fault], argv[1]) != 0)
    ++fault;
  commit(fault, results, places);
  for (int i = 0; fault != kShuffle && i < 2 * THREADS; ++i)
    CHECK_EQ(results[i], THREADS - 1 + i / THREADS);
  return finish();
}

// NONE: ok
// RACE: {{reads|writes}} 4 bytes of shared memory at {{.*}}, which thread {{[0-9]+}} of the block {{wrote|read}} since the last barrier
// RACE-NEXT: thread_faults.c:{{49|51}}
// SHUFFLE: a copy of 1024 bytes to the host: {{[0-9]+}} bytes in 128 places, the first byte{{.*}}, depend on a shuffle's value from a lane that does not take part
// SHUFFLE-NEXT: the shuffle: at {{.*}}thread_faults.c:53
// UNALIGNED: a barrier that not all threads reach: lanes {{.*}} wait at barrier
// VOTE: names lanes {{.*}}, which do not come
// VOTE-NEXT: thread_faults.c:57
// BLOCK: reads 4 bytes of another block's shared memory
// BLOCK-NEXT: thread_faults.c:66 {{.*}}block 1,0,0, thread 37,0,0
// STACK: reads 4 bytes of the stack of thread 0 of a block
// STACK-NEXT: thread_faults.c:66 {{.*}}thread 37,0,0
// MISALIGNED: reads 4 bytes at the misaligned address
// MISALIGNED-NEXT: thread_faults.c:69 {{.*}}thread 37,0,0
// APART: an aligned barrier for lanes {{.*}}, of which lanes {{.*}} wait at another instruction
// APART-NEXT: thread_faults.c:{{71|72}} {{.*}}bar.sync 3
