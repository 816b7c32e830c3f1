// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for amdgpu_cores_test.cpp. The first 16 words are those of all threads.

#define KERNEL __attribute__((amdgpu_kernel)) void
#define THREAD __builtin_amdgcn_workitem_id_x()
#define BLOCK __builtin_amdgcn_workgroup_id_x()

typedef unsigned long Word;

static void barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
  __builtin_amdgcn_s_barrier();
}

// Adds 0 to 99 for itself and for all, and the numbers of its block's threads.
KERNEL sum(Word *words) {
  static __attribute__((address_space(3), loader_uninitialized)) unsigned own[64];
  const unsigned number = BLOCK * 64 + THREAD;
  own[THREAD] = THREAD;
  volatile Word total = 0;
  for (Word i = 0; i < 100; ++i)
    total += i;
  words[16 + number] = total + number;
  __atomic_fetch_add(&words[0], total, __ATOMIC_RELAXED);
  __atomic_fetch_max(&words[1], (Word)number, __ATOMIC_RELAXED);
  barrier();
  if (THREAD != 0)
    return;
  Word threads = 0;
  for (int i = 0; i < 64; ++i)
    threads += own[i];
  __atomic_fetch_add(&words[2], threads, __ATOMIC_RELAXED);
}

// The first thread of each block adds under a lock 20 times, by plain accesses.
KERNEL locked(Word *words) {
  for (int i = 0; THREAD == 0 && i < 20; ++i) {
    unsigned *const lock = (unsigned *)words;
    unsigned expected = 0;
    while (!__atomic_compare_exchange_n(lock, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      expected = 0;
    words[8] += 1;
    words[9] += 2;
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
  }
}

// All four blocks meet three times. Each looks at what the first has written.
KERNEL meet(Word *words) {
  for (Word round = 4; round <= 12; round += 4) {
    if (THREAD == 0) {
      words[16 + BLOCK * 64] = round;
      __atomic_fetch_add(&words[0], 1, __ATOMIC_ACQ_REL);
      while (__atomic_load_n(&words[0], __ATOMIC_ACQUIRE) < round)
        ;
    }
    barrier();
    if (__atomic_load_n(&words[16], __ATOMIC_RELAXED) != round)
      __atomic_fetch_add(&words[1], 1, __ATOMIC_RELAXED);
    barrier();
    if (THREAD == 0) {
      __atomic_fetch_add(&words[2], 1, __ATOMIC_ACQ_REL);
      while (__atomic_load_n(&words[2], __ATOMIC_ACQUIRE) < round)
        ;
    }
    barrier();
  }
}

// Block 3 and those from 30 on fault, the others wait for ever.
KERNEL fault(Word *words) {
  while (BLOCK < 30 && BLOCK != 3 && __atomic_load_n(&words[0], __ATOMIC_RELAXED) == 0)
    ;
  *(volatile unsigned *)(words - 2) = 1;
}
