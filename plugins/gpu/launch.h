// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch with everything decided that does not depend on the driver: the shape of the grid and the arguments' values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/kernel_traits.h"
#include "common/launch_rules.h"
#include "gpu/kernel.h"
#include "omptarget/plugin.h"

namespace omptarget::gpu {

struct Grid {
  LaunchShape shape; ///< in x
  uint32_t teams_y = 1, teams_z = 1;
  uint32_t threads_y = 1, threads_z = 1;
  uint32_t shared_memory = 0; ///< dynamic, bytes
};

/// What the host library asks for.
struct Launch {
  Kernel &kernel;
  void *const *arguments;
  const ptrdiff_t *offsets; ///< may be null
  const __tgt_kernel_args &shape;

  /// The mode in which the kernel runs.
  ExecMode mode() const { return kernel.traits().mode_for(shape.Version); }
  /// Kernels of clang 17 and later get the address of their launch environment first.
  bool has_environment() const { return shape.Version >= kFirstVersionWithEnvironment; }
  /// Bytes of the buffer for a reduction over teams; 0 if it needs none.
  uint64_t reduction_size() const { return has_environment() ? kernel.traits().reduction_buffer_size() : 0; }
  /// Arguments of kernels are 8 bytes each, of all generations.
  size_t argument_count() const { return size_t{shape.NumArgs} + (has_environment() ? 1 : 0); }
  /// Writes so many.
  void write_arguments(uint64_t *values, uint64_t environment) const;

private:
  static constexpr uint32_t kFirstVersionWithEnvironment = 3;
};

/// The grid of a launch on a device with these limits.
Grid choose_grid(const Launch &launch, const LaunchLimits &device_limits);

} // namespace omptarget::gpu
