// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal control variables of one device that bound its launches: nteams-var, teams-thread-limit-var, nthreads-var
// (OpenMP 6.0, section 3). They come from OMP_..._DEV_<n>, OMP_..._DEV and OMP_..._ALL, and from the program.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/address.h"
#include "omptarget/types.h"

namespace omptarget {

/// Any thread.
class LaunchDefaults {
public:
  /// Reads the environment.
  explicit LaunchDefaults(DeviceId id);

  /// Returns whether something bounds launches.
  bool is_any() const { return is_any_.load(std::memory_order_relaxed); }
  /// Bounds a launch whose construct says nothing of teams, or nothing of threads. args: in the inner form.
  void apply(__tgt_kernel_args &args) const;

  /// Each is 0 if nothing bounds it. OMP_NUM_TEAMS and OMP_TEAMS_THREAD_LIMIT count if no variable of devices is set.
  int32_t teams() const;
  int32_t thread_limit() const;
  void set_teams(int32_t number) { set(teams_, number); }
  void set_thread_limit(int32_t number) { set(thread_limit_, number); }

private:
  void set(std::atomic<int32_t> &variable, int32_t number) {
    variable.store(number, std::memory_order_relaxed);
    is_any_.store(true, std::memory_order_relaxed);
  }

  std::atomic<bool> is_any_{false};
  std::atomic<int32_t> teams_, thread_limit_;
  int32_t threads_;    ///< nthreads-var; 0: not given
  bool has_variables_; ///< others, which the plugin reads
};

} // namespace omptarget
