// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With weak memory a message arrives under every seed if both sides have a fence whose scope has both of them in it. If
// not, it is missed under some seeds; a plain load in a loop may never see a store. Without weak memory nothing is
// missed.
// RUN: %clang %s -o %t
// RUN: %run SIM_EXECUTOR_STRICT_MEMORY=1 %t weak %if gfx1100 %{wide%} | %FileCheck %s --check-prefix=%if gfx90a %{ONE-CACHE%} %else %{CACHES%}
// RUN: %if gfx90a %{ env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run --strict %t weak | %FileCheck %s --check-prefix=ONE-CACHE %}
// RUN: %run SIM_EXECUTOR_STRICT_MEMORY=0 %t | %FileCheck %s --check-prefix=STRONG
// RUN: %expect-abort SIM_EXECUTOR_STRICT_MEMORY=1 SIM_EXECUTOR_BUDGET=200000 %t spin 2>&1 | %FileCheck %s --check-prefix=SPIN
// RUN: %run SIM_EXECUTOR_BUDGET=200000 %t spin

#include "check.h"

#include <string.h>

enum Fence { kNone, kTeam, kDevice };
#ifdef __NVPTX__
#define FENCE(fence)                                                                                                   \
  if (fence == kTeam)                                                                                                  \
    __nvvm_membar_cta();                                                                                               \
  else if (fence == kDevice)                                                                                           \
  __nvvm_membar_gl()
#elif defined(__AMDGCN__)
#define FENCE(fence)                                                                                                   \
  if (fence == kTeam)                                                                                                  \
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");                                                             \
  else if (fence == kDevice)                                                                                           \
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent")
#else
#define FENCE(fence)
#endif
/// Keeps the compiler, not the device, from moving accesses.
#define KEEP() __asm__ volatile("" ::: "memory")

/// Each in a cache line of its own.
struct Message {
  _Alignas(128) int data;
  _Alignas(128) int flag;
  _Alignas(128) int seen;
};

#pragma omp begin declare target
static void write_message(struct Message *message, int fence) {
  message->data = 1;
  KEEP();
  FENCE(fence);
  __atomic_store_n(&message->flag, 1, __ATOMIC_RELAXED);
}
static void read_message(struct Message *message, int fence) {
  while (__atomic_load_n(&message->flag, __ATOMIC_RELAXED) == 0)
    KEEP();
  FENCE(fence);
  KEEP();
  message->seen = message->data;
}
#pragma omp end declare target

static void send_to_other_team(struct Message *message, int before, int after) {
#pragma omp target teams num_teams(2) thread_limit(64) map(tofrom : message[ : 1])
  if (omp_get_team_num() == 0)
    write_message(message, before);
  else
    read_message(message, after);
}

static void send_to_other_wave(struct Message *message, int before, int after) {
#pragma omp target parallel num_threads(128) map(tofrom : message[ : 1])
  if (omp_get_thread_num() == 0)
    write_message(message, before);
  else if (omp_get_thread_num() == 127)
    read_message(message, after);
}

/// Returns whether any message is missed under some of the seeds.
static int is_missed(void (*send)(struct Message *, int, int), int before, int after) {
  int missed = 0;
  for (int seed = 1; seed <= 24; ++seed) {
    char text[8];
    snprintf(text, sizeof text, "%d", seed);
    setenv("SIM_EXECUTOR_SEED", text, 1);
    struct Message message = {0, 0, -1};
    send(&message, before, after);
    missed += message.seen != 1;
  }
  return missed != 0;
}

static void spin(void) {
  for (int seed = 1; seed <= 16; ++seed) {
    char text[8];
    snprintf(text, sizeof text, "%d", seed);
    setenv("SIM_EXECUTOR_SEED", text, 1);
    int flag = 0;
#pragma omp target teams num_teams(2) thread_limit(64) map(tofrom : flag)
    if (omp_get_team_num() == 0)
      __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
    else
      while (flag == 0)
        KEEP();
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "spin") == 0) {
    spin();
    return finish();
  }
  // On RDNA a fence for a team waits until the device sees its stores.
  const int is_weak = argc > 1, is_wide = argc > 2;
  CHECK_EQ(is_missed(send_to_other_team, kDevice, kDevice), 0);
  CHECK_EQ(is_missed(send_to_other_team, kNone, kDevice), is_weak);
  CHECK_EQ(is_missed(send_to_other_team, kDevice, kNone), is_weak);
  CHECK_EQ(is_missed(send_to_other_team, kTeam, kDevice), is_weak && !is_wide);
  CHECK_EQ(is_missed(send_to_other_team, kDevice, kTeam), is_weak);
  CHECK_EQ(is_missed(send_to_other_wave, kTeam, kTeam), 0);
  printf("within a team without fences: %s\n", is_missed(send_to_other_wave, kNone, kNone) ? "missed" : "seen");
  return finish();
}

// CACHES: within a team without fences: missed
// ONE-CACHE: within a team without fences: seen
// STRONG: within a team without fences: seen
// SPIN: does not end (SIM_EXECUTOR_BUDGET)
