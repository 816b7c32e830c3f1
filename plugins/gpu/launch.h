// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch with everything decided that does not depend on the driver: the shape of the grid and the arguments' values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/device_layouts.h"
#include "common/kernel_traits.h"
#include "common/launch_rules.h"
#include "gpu/environment.h"
#include "gpu/kernel.h"
#include "gpu/launch_plan.h"
#include "omptarget/plugin.h"

namespace omptarget::gpu {

/// A launch as the host library asks for it.
struct Launch {
  Kernel &kernel;
  void *const *arguments;
  const ptrdiff_t *offsets; ///< may be null
  const __tgt_kernel_args &shape;

  /// The mode in which the kernel runs.
  ExecMode mode() const { return kernel.traits().mode_for(shape.Version); }
  /// Kernels of clang 18 to 22 get the address of their launch environment first, those of clang 23 last.
  bool has_leading() const { return shape.Version == kVersionWithLeading; }
  bool has_trailing() const { return shape.Version == kVersionWithTrailing && shape.NumArgs > 0; }
  /// Returns the need for a launch environment.
  EnvironmentNeed environment_need(const Grid &grid) const;
  /// Arguments of kernels are 8 bytes each, of all generations.
  size_t argument_count() const { return size_t{shape.NumArgs} + (has_leading() ? 1 : 0); }
  /// Writes the values of that many arguments; environment: device address of the launch environment.
  void write_arguments(uint64_t *values, uint64_t environment) const {
    if (has_leading())
      *values++ = environment;
    for (uint32_t i = 0; i < shape.NumArgs; ++i)
      *values++ = reinterpret_cast<uintptr_t>(arguments[i]) + (offsets ? static_cast<uint64_t>(offsets[i]) : 0);
    if (has_trailing())
      values[-1] = environment;
  }

private:
  static constexpr uint32_t kVersionWithLeading = 3;
  static constexpr uint32_t kVersionWithTrailing = 5;
};

/// The grid of a launch on a device with these limits, where a team can have so much shared memory.
Grid choose_grid(const Launch &launch, const LaunchLimits &device_limits, uint32_t shared_memory_limit);

} // namespace omptarget::gpu
