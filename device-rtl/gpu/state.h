// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of threads and teams: the mode of the kernel, levels of parallel regions, sizes of teams, internal control
// variables.
//
// State of a block lies in plain variables of shared memory. In an SPMD kernel all threads
// write them, each the same value, between two aligned barriers: so a thread reads what it wrote, the compiler knows
// that it does (LLVM's OpenMPOpt, which follows such variables), and what is only written vanishes. In a generic
// kernel the main thread writes them, before a barrier lets the workers go. Regions that a thread is alone in are
// rare: a bit for each thread.
#pragma once

#include "atomics.h"

RTL int8_t __kmpc_is_spmd_exec_mode();

namespace omptarget::device_rtl::gpu {

/// A bit for each thread, in the word of its warp.
INLINE bool thread_bit(SHARED const uint32_t *bits) {
  return (bits[target::thread_id() >> 5] >> (target::thread_id() & 31) & 1) != 0;
}
INLINE void set_thread_bit(SHARED uint32_t *bits) {
  atomics::fetch_or(&bits[target::thread_id() >> 5], 1u << (target::thread_id() & 31));
}
INLINE void clear_thread_bit(SHARED uint32_t *bits) {
  atomics::fetch_and(&bits[target::thread_id() >> 5], ~(1u << (target::thread_id() & 31)));
}

/// Threads that are in a region by themselves, within the team's or outside of it.
SHARED_VARIABLE uint32_t alone_bits[kMaxWarps];
/// Workers of a generic kernel that have no part in the region.
SHARED_VARIABLE uint32_t waiting_bits[kMaxWarps];
/// Set once a thread of any kernel was alone in a region. Images without such regions never write it.
static uint32_t any_own_levels = 0;
/// Returns how many of those regions lie within the outermost (parallel.cpp).
uint32_t further_levels();

/// Threads that are in an explicit task, and in no region within it.
SHARED_VARIABLE uint32_t task_bits[kMaxWarps];
/// Returns whether any thread of any kernel ever was: known not to be in images without tasks.
static uint32_t any_task = 0;
INLINE bool is_in_task() { return atomics::is_set(any_task) && thread_bit(task_bits); }

SHARED_VARIABLE uint8_t kernel_is_spmd;
SHARED_VARIABLE uint8_t kernel_was_generic; ///< the compiler has made it an SPMD one
// For SPMD kernels:
SHARED_VARIABLE uint8_t spmd_level; ///< 1 while all threads are at the team's region, else 0
SHARED_VARIABLE uint16_t spmd_size; ///< threads of the team, 0: all of the block

/// Internal control variables (OpenMP 5.2, 2.1) of a data environment.
struct ControlVariables {
  uint32_t threads; ///< 0: as many as there are
  uint32_t max_active_levels;
  uint32_t schedule; ///< omp_sched_t; 0: the device's (run_schedule)
  uint32_t chunk;    ///< 0: the schedule's own
};
inline constexpr ControlVariables kDefaultVariables{0, 1, 0, 0};

inline constexpr uint32_t kMaxSharedArguments = 64;

/// State of a generic kernel's team. The main thread writes it while the workers wait, and they read it.
struct GenericTeam {
  void *region; ///< the wrapper of the region to run; null: the kernel ends
  uint32_t size;
  void **arguments;
  void *argument_space[kMaxSharedArguments];
  ControlVariables variables;
};
SHARED_VARIABLE GenericTeam generic_team;

/// Returns whether the kernel is SPMD. The compiler knows the result of this call if it knows the kernel.
INLINE bool is_spmd() { return __kmpc_is_spmd_exec_mode() != 0; }
/// The part of the block that 32 threads are, on every GPU: a warp, or half a wave.
INLINE uint32_t warp_id() { return target::thread_id() >> 5; }
INLINE uint32_t first_in_warp() { return target::thread_id() & ~(target::warp_size() - 1); }
INLINE uint32_t lane_in_block() { return target::thread_id() & (target::warp_size() - 1); }

/// In a generic kernel the first lane of the last warp runs what is outside of parallel regions; that warp's others
/// have ended.
INLINE uint32_t main_thread() { return (target::block_size() - 1) & ~(target::warp_size() - 1); }
/// Threads of the block that may become a team's.
INLINE uint32_t usable_threads(bool spmd) {
  const uint32_t size = target::block_size();
  if (spmd)
    return size;
  return size > target::warp_size() ? size - target::warp_size() : 1;
}

/// Regions that the thread runs alone.
INLINE uint32_t own_levels() {
  // A plain load, as a thread needs to see what it stored itself. One that all threads must carry out beside each chunk
  // took longer than the loop.
  if ((target::kReadsFlags && any_own_levels == 0) || !thread_bit(alone_bits))
    return 0;
  return 1 + further_levels();
}
/// Returns whether the thread is in the team's region, at whatever level.
INLINE bool is_active() { return is_spmd() ? spmd_level != 0 : target::thread_id() != main_thread(); }
INLINE uint32_t active_size() {
  if (!is_spmd())
    return generic_team.size;
  const uint32_t part = spmd_size;
  return part == 0 ? target::block_size() : part;
}
INLINE uint32_t level() { return (is_active() ? 1 : 0) + own_levels(); }
/// The team's region is the innermost one.
INLINE bool is_in_team() { return is_active() && own_levels() == 0; }
INLINE uint32_t thread_number() { return is_in_team() ? target::thread_id() : 0; }
INLINE uint32_t team_size() { return is_in_team() ? active_size() : 1; }

/// All lanes of a warp.
INLINE uint64_t warp_lanes() { return ~uint64_t{0} >> (64 - target::warp_size()); }
/// The lanes of the caller's warp that are in the caller's team: all that share an operation of the team.
INLINE uint64_t team_lanes(uint32_t size) {
  const uint32_t first = first_in_warp();
  const uint64_t all = warp_lanes();
  return first + target::warp_size() <= size ? all : all & ~(~uint64_t{0} << (size - first));
}

} // namespace omptarget::device_rtl::gpu
