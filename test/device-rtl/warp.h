// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter: runs device code as the lanes of a warp, each load in step, and tells what the loads of a step were.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace omptarget::device_rtl {

/// The loads that the lanes did at the same time.
struct WarpStep {
  std::vector<uint64_t> addresses; ///< one per lane that still runs
  /// The number of cache lines of that many bytes that they touch, which is the cost of the step on a GPU.
  size_t lines(uint64_t bytes) const;
};

/// Runs the function once per lane, number 0 to lanes - 1. Lanes that have returned no longer take part. The steps are
/// in order of time.
std::vector<WarpStep> run_warp(unsigned lanes, const std::function<void(unsigned)> &function);

} // namespace omptarget::device_rtl
