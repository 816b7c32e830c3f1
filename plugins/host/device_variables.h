// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal control variables of a region on a device of this plugin, where they differ from the host's. The host
// library gives bounds (OMPTARGET_KERNEL_MOST_...). OMP_SCHEDULE, OMP_DYNAMIC and OMP_MAX_ACTIVE_LEVELS of devices are
// read here.
#pragma once

#include <cstdint>

namespace omptarget::host {

/// The numbers that a launch asks for; 0: unset.
struct LaunchBounds {
  uint32_t teams;
  uint32_t threads;
  uint64_t flags = 0; ///< OMPTARGET_KERNEL_MOST_... and OMPTARGET_KERNEL_VARIABLES
};
inline constexpr uint64_t kVariableFlags = 0x70000000;

/// While it lives, the calling thread has the device's variables instead of its own. The OpenMP runtime of the host
/// keeps the variables: without one nothing happens.
class RegionVariables {
public:
  /// each_team: the kernel makes no teams itself. The caller makes them, with these bounds.
  RegionVariables(int32_t device, const LaunchBounds &bounds, bool each_team);
  ~RegionVariables();
  RegionVariables(const RegionVariables &) = delete;
  RegionVariables &operator=(const RegionVariables &) = delete;

private:
  void bound_threads(const LaunchBounds &bounds);
  void set_others(int32_t device);

  static constexpr int kUnchanged = -1;

  int threads_ = kUnchanged, dynamic_ = kUnchanged, levels_ = kUnchanged;
  int schedule_ = 0, chunk_ = 0; ///< schedule 0: unchanged
};

} // namespace omptarget::host
