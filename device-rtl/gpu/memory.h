// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that device code asks for while it runs.
#pragma once

#include "services.h"
#include "synchronisation.h"

namespace omptarget::device_rtl::gpu {

inline constexpr uint64_t kHeapAlignment = 16; ///< of what allocate returns
/// As allocate; the kernel stops where there is none.
void *allocate_or_fail(uint64_t size);
/// Counts an allocation of shared variables or by OpenMP's routines, for debugging.
void note_allocation(uint64_t size);

/// Shared memory for variables that threads share although one owns them: a stack of the main thread of a generic
/// kernel, and a small one of each other thread.
inline constexpr uint32_t kStackSpace = 4096;
inline constexpr uint32_t kMainStackSize = 2048; ///< of a generic kernel; the rest is the workers'
inline constexpr uint32_t kStackUnit = 16;
struct alignas(16) StackSpace {
  char bytes[kStackSpace];
};
SHARED_VARIABLE StackSpace stack_space;
SHARED_VARIABLE uint8_t stack_tops[kMaxThreads]; ///< each thread's own, in units
static_assert(kStackSpace / kStackUnit <= 256 && kMainStackSize / kStackUnit <= 255);

INLINE void begin_stack() { stack_tops[target::thread_id()] = 0; }

} // namespace omptarget::device_rtl::gpu
