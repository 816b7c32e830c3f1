// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads and teams are in: the mode of the kernel, levels of parallel regions, sizes of teams, internal control variables.
//
// A thread's own state is one byte of shared memory, which only that thread reads and writes: so nothing waits for it, and what is not
// read vanishes when the kernel is compiled. What is the same for all lanes of a warp is kept once for each warp, for the same reason.
// Only a generic kernel has state of the team: its main thread writes it before a barrier lets the workers go.
#pragma once

#include "targets/current.h"

RTL int8_t __kmpc_is_spmd_exec_mode();

namespace omptarget::device_rtl::gpu {

/// A thread's byte.
inline constexpr uint8_t kLevel = 0x1F; ///< parallel regions around, serialised ones as well
inline constexpr uint8_t kIsActive =
    0x20; ///< the outermost of them is a team's: of several threads, or of any in an SPMD kernel
inline constexpr uint8_t kIsSpmd = 0x40; ///< the kernel's mode

SHARED_VARIABLE uint8_t thread_states[kMaxThreads];
SHARED_VARIABLE uint32_t team_sizes[kMaxWarps]; ///< of the active region that the warp is in

/// Internal control variables (OpenMP 5.2, 2.1) of a data environment.
struct ControlVariables {
  uint32_t threads; ///< 0: as many as there are
  uint32_t max_active_levels;
  uint32_t schedule; ///< omp_sched_t
  uint32_t chunk;    ///< 0: the schedule's own
};
inline constexpr ControlVariables kDefaultVariables{0, 1, 1, 0};

inline constexpr uint32_t kMaxSharedArguments = 64;

/// Of a team of a generic kernel. The main thread writes it while the workers wait, and they read it.
struct GenericTeam {
  void *region; ///< the wrapper of the region to run; null: the kernel ends
  uint32_t size;
  void **arguments;
  void *argument_space[kMaxSharedArguments];
  ControlVariables variables;
};
SHARED_VARIABLE GenericTeam generic_team;

INLINE uint8_t state() { return thread_states[target::thread_id()]; }
INLINE void set_state(uint8_t value) { thread_states[target::thread_id()] = value; }
/// By the call that the compiler knows the result of, where it knows the kernel.
INLINE bool is_spmd() { return __kmpc_is_spmd_exec_mode() != 0; }
INLINE uint32_t level() { return state() & kLevel; }
INLINE uint32_t warp_id() { return target::thread_id() / target::warp_size(); }
INLINE uint32_t lane_in_block() { return target::thread_id() & (target::warp_size() - 1); }

/// The thread's region is one of several threads, and the innermost.
INLINE bool is_in_team() { return (state() & (kLevel | kIsActive)) == (1 | kIsActive); }
INLINE uint32_t thread_number() { return is_in_team() ? target::thread_id() : 0; }
INLINE uint32_t team_size() { return is_in_team() ? team_sizes[warp_id()] : 1; }

/// In a generic kernel the first lane of the last warp runs what is outside of parallel regions; that warp's others have ended.
INLINE uint32_t main_thread() { return (target::block_size() - 1) & ~(target::warp_size() - 1); }
/// Threads of the block that may become a team's.
INLINE uint32_t usable_threads(bool spmd) {
  const uint32_t size = target::block_size();
  if (spmd)
    return size;
  return size > target::warp_size() ? size - target::warp_size() : 1;
}

/// The lanes of the caller's warp that are in the caller's team: all that share an operation of the team.
INLINE uint64_t team_lanes(uint32_t size) {
  const uint32_t warp = target::warp_size(), first = target::thread_id() & ~(warp - 1);
  const uint64_t all = ~uint64_t{0} >> (64 - warp);
  return first + warp <= size ? all : all & ~(~uint64_t{0} << (size - first));
}

} // namespace omptarget::device_rtl::gpu
