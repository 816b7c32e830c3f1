// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data environments of single threads: what a thread sets for itself (omp_set_num_threads in a region), and loops
// that it does not share. Rare, so they are in the heap, in lists that warps share, each under a lock. If
// no code of an image sets them, any_environment is never written. The compiler sees that when it links the image, and
// removes everything that depends on it.
#pragma once

#include "memory.h"

namespace omptarget::device_rtl::gpu {

/// A loop whose chunks are given out while it runs. Iterations are counted from 0.
struct Dispatch {
  uint64_t count; ///< of iterations
  uint64_t next;  ///< the next iteration that nobody has
  uint64_t lower; ///< the compiler's number of iteration 0
  uint64_t chunk;
  uint64_t stride;  ///< from a thread's chunk to its next, of a static schedule
  uint8_t is_whole; ///< one chunk, as there are no other threads
  uint8_t is_under_way;
};

struct Environment {
  Environment *next;
  uint32_t thread;
  uint32_t level; ///< it ends with the thread's region of this level
  ControlVariables variables;
  uint64_t allocator; ///< def-allocator-var
  Dispatch loop;
};

/// Returns the environment of the calling thread's innermost region that has one, or null.
Environment *find_environment();
/// Returns the environment of the calling thread's innermost region. Makes it if there is none.
Environment &own_environment();
/// Drops the environments of regions of this level and deeper ones.
void drop_environments(uint32_t level);

ControlVariables variables();
/// Returns run-sched-var of the caller's data environment.
INLINE DeviceSchedule run_schedule() {
  const ControlVariables own = variables();
  if (own.schedule != 0)
    return {own.schedule, own.chunk};
  const uint32_t kind = __omptarget_device_schedule.kind;
  return {kind != 0 ? kind : 1, __omptarget_device_schedule.chunk};
}
/// def-allocator-var of the caller's data environment (OpenMP 5.2, 18.13.4).
uint64_t default_allocator();
void set_default_allocator(uint64_t allocator);

inline constexpr uint32_t kEnvironmentLists = 8; ///< a warp has one for itself in blocks of up to 256 threads
SHARED_VARIABLE SharedList environment_lists[kEnvironmentLists];
SHARED_VARIABLE uint32_t environment_bits[kMaxWarps]; ///< threads that have some

/// Set once any thread of any kernel has an environment, and once any has set control variables. These are two flags:
/// a loop of one thread must not keep the compiler from knowing how many threads regions have.
static uint32_t any_environment = 0;
static uint32_t any_variables = 0;
/// The same of allocators.
static uint32_t any_default_allocator = 0;
/// The allocator of a generic kernel's main thread, which its workers begin with. 0: not set.
SHARED_VARIABLE uint64_t team_allocator;

INLINE bool has_environment() { return atomics::is_set(any_environment) && thread_bit(environment_bits); }
INLINE void leave_environments(uint32_t level) {
  if (has_environment()) [[unlikely]]
    drop_environments(level);
}

/// Called by all threads of an SPMD kernel, and by the main thread of a generic one.
INLINE void begin_environments() {
  for (uint32_t i = 0; i < kEnvironmentLists; ++i)
    begin_list(&environment_lists[i]);
}

} // namespace omptarget::device_rtl::gpu
