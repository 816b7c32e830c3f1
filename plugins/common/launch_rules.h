// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many teams and threads a kernel is launched with, where the program does not say it or says more than the device
// has. Any thread; only apply_launch_settings looks at anything but its arguments.
#pragma once

#include <cstdint>

#include "common/kernel_traits.h"

namespace omptarget {

/// Limits and preferences of a device and the settings.
struct LaunchLimits {
  uint32_t warp_size = 32;
  uint32_t max_threads = 1024;
  uint32_t default_threads = 128;
  uint32_t max_teams = 2147483647;
  uint32_t most_threads = UINT32_MAX; ///< OMP_TEAMS_THREAD_LIMIT, for requests that give no bound of their own
  uint32_t most_teams = UINT32_MAX;   ///< OMP_NUM_TEAMS, alike
  uint64_t max_items = UINT64_MAX;    ///< threads of all teams together
  uint32_t default_teams = 3200;
  bool teams_follow_kernel = true; ///< instead: as many of the kernel's as can be resident, where that is known
  uint32_t min_threads_for_low_trip_count = 0; ///< LIBOMPTARGET_MIN_THREADS_FOR_LOW_TRIP_COUNT; 0: warp_size
  bool reuse_blocks = true;                    ///< LIBOMPTARGET_REUSE_BLOCKS_FOR_HIGH_TRIP_COUNT
  uint32_t shared_memory = 0;                  ///< LIBOMPTARGET_SHARED_MEMORY_SIZE, bytes
};

/// The shape that the program asks for; 0 or less is unset.
struct ShapeRequest {
  ExecMode exec_mode;
  int32_t num_teams;
  int32_t thread_limit;
  uint64_t trip_count;
  bool is_strict = false; ///< numbers that are given are used as they are
  /// The number is no wish of the program's, but a bound of the device's variables.
  bool bounds_teams = false, bounds_threads = false;
};

struct LaunchShape {
  uint32_t teams;
  uint32_t threads; ///< with the further warp of generic mode
};

/// Threads of a team where the program does not say it.
uint32_t default_threads_of(const KernelTraits &traits, const LaunchLimits &limits);

/// Applies OMP_NUM_TEAMS, OMP_TEAMS_THREAD_LIMIT, OMP_TEAM_LIMIT and the LIBOMPTARGET settings of launches to what the
/// device has.
void apply_launch_settings(LaunchLimits &limits);

/// Returns a launch's shape: the program's request as far as kernel and device allow it, and defaults for the rest.
LaunchShape choose_launch_shape(const KernelTraits &traits, const LaunchLimits &limits, ShapeRequest request);

} // namespace omptarget
