// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fault in device code ends the program, and the executor names it with the kernel, the source line and the thread.
// RUN: %clang -gline-tables-only %s -o %t
// RUN: %run %t none | %FileCheck %s --check-prefix=NONE
// RUN: %expect-abort %t bounds 2>&1 | %FileCheck %s --check-prefix=BOUNDS
// RUN: %expect-abort %t host 2>&1 | %FileCheck %s --check-prefix=HOST
// RUN: %expect-abort %t shared 2>&1 | %FileCheck %s --check-prefix=SHARED
// RUN: %if emulator-amdgpu %{ %expect-abort %t constant 2>&1 | %FileCheck %s --check-prefix=CONSTANT %}
// RUN: %expect-abort %t stack 2>&1 | %FileCheck %s --check-prefix=STACK
// RUN: %expect-abort %t atomic 2>&1 | %FileCheck %s --check-prefix=ATOMIC
// RUN: %expect-abort %t jump 2>&1 | %FileCheck %s --check-prefix=JUMP
// RUN: %expect-abort %t trap 2>&1 | %FileCheck %s --check-prefix=TRAP
// RUN: %expect-abort SIM_EXECUTOR_STRICT_BARRIERS=1 %t barrier 2>&1 | %FileCheck %s --check-prefix=BARRIER
// RUN: %expect-abort SIM_EXECUTOR_BUDGET=100000 %t endless 2>&1 | %FileCheck %s --check-prefix=ENDLESS
// RUN: %expect-abort SIM_EXECUTOR_BUDGET=100000 %t held 2>&1 | %FileCheck %s --check-prefix=HELD

#include "check.h"

#include <stdint.h>
#include <string.h>

#define SIZE 64

// Addresses and barriers of one target or the other.
#ifdef __NVPTX__
#define SHARED_OR_STACK uint64_t
#define BARRIER() __nvvm_bar_sync(3)
#elif defined(__AMDGCN__)
#define SHARED_OR_STACK uint32_t
#define BARRIER() __builtin_amdgcn_s_barrier()
#endif

enum Fault { kNone, kBounds, kHost, kShared, kConstant, kStack, kAtomic, kJump, kTrap, kBarrier, kEndless, kHeld };
static const char *const kNames[] = {"none",   "bounds", "host", "shared",  "constant", "stack",
                                     "atomic", "jump",   "trap", "barrier", "endless",  "held"};

#pragma omp begin declare target
static const int kConstants[4] = {1, 2, 3, 4};
#pragma omp end declare target

static void commit(int fault, int *data, int *on_host, int place) {
  // clang-format off
#pragma omp target teams num_teams(2) thread_limit(128) map(tofrom : data[:SIZE]) firstprivate(fault, on_host, place)
#pragma omp parallel num_threads(128)
  { const int me = omp_get_team_num() == 1 && omp_get_thread_num() == 37; int last = 0; volatile int mine[4] = {0, 1, 2, 3};
    if (fault == kBounds && me)
      data[place] = 1;
    if (fault == kHost && me)
      *on_host = 1;
#ifdef BARRIER
    if (fault == kShared && me)
      *(__attribute__((address_space(3))) volatile int *)(SHARED_OR_STACK)(place * 400) = 1;
    if (fault == kStack && me)
      last = *(__attribute__((address_space(5))) volatile int *)(SHARED_OR_STACK)(place * 4000);
    if (fault == kTrap && me)
      __builtin_trap();
    if (fault == kBarrier && omp_get_thread_num() < 64)
      BARRIER();
#endif
    if (fault == kConstant && me)
      *(volatile int *)(uintptr_t)&kConstants[place & 3] = 7;
    if (fault == kAtomic && me)
      __atomic_fetch_add((int *)((char *)data + (place & 1) + 2), 1, __ATOMIC_RELAXED);
    if (fault == kJump && me)
      last = ((int (*)(int))(uintptr_t)on_host)(place);
    while (fault == kEndless && *(volatile int *)data == 0) {}
#ifdef BARRIER
    if (fault == kHeld) { // one thread of each wave takes the lock, and all of the block meet before it is free
      while (omp_get_thread_num() % 64 == 0 && __atomic_exchange_n(&data[omp_get_team_num()], 1, __ATOMIC_SEQ_CST)) {}
      BARRIER();
      __atomic_exchange_n(&data[omp_get_team_num()], 0, __ATOMIC_SEQ_CST); }
#endif
    if (last != 0)
      data[0] = last + mine[place & 3]; }
  // clang-format on
}

int main(int argc, char **argv) {
  int data[SIZE] = {0}, elsewhere = 0, fault = 0;
  while (argc > 1 && strcmp(kNames[fault], argv[1]) != 0)
    ++fault;
  commit(fault, data, &elsewhere, SIZE * 1024 + 1);
  CHECK_EQ(elsewhere, 0);
  return finish();
}

// NONE: ok
// BOUNDS: kernel {{.*}}commit{{.*}}: writes 4 bytes at 0x{{.*}}, which are in no allocation that this device reaches
// BOUNDS-NEXT: faults.c:49 {{.*}}block 1,0,0, thread 37,0,0
// HOST: writes 4 bytes at 0x{{.*}}, which are in no allocation that this device reaches
// HOST-NEXT: faults.c:51 {{.*}}block 1,0,0, thread 37,0,0
// SHARED: writes 4 bytes of shared memory at 0x{{.*}}; the launch asked for {{[0-9]+}} bytes
// SHARED-NEXT: faults.c:54 {{.*}}block 1,0,0, thread 37,0,0
// CONSTANT: writes 4 bytes at 0x{{.*}}, which it may only read
// CONSTANT-NEXT: faults.c:63 {{.*}}block 1,0,0, thread 37,0,0
// STACK: reads 4 bytes of its stack at 0x{{.*}}; the launch asked for {{[0-9]+}} bytes
// STACK-NEXT: faults.c:56 {{.*}}block 1,0,0, thread 37,0,0
// ATOMIC: an atomic operation changes 4 bytes at the misaligned address 0x{{[0-9a-f]+}}
// ATOMIC-NEXT: faults.c:65 {{.*}}block 1,0,0, thread 37,0,0
// JUMP: a jump to 0x{{.*}}, where no code is
// JUMP-NEXT: faults.c:67 {{.*}}block 1,0,0
// TRAP: trap{{.*}}: the program ends the kernel
// TRAP-NEXT: faults.c:58 {{.*}}block 1,0,0, thread 37,0,0
// BARRIER: a barrier that not all threads reach
// BARRIER-NEXT: at {{.*}}block
// ENDLESS: does not end (SIM_EXECUTOR_BUDGET)
// ENDLESS-NEXT: faults.c:68
// HELD: does not end (SIM_EXECUTOR_BUDGET)
// HELD-NEXT: faults.c:{{71|72}}
