// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/launch.h"

#include <algorithm>
#include <limits>

#include "base/log.h"
#include "common/boundary.h"
#include "gpu/device.h"

namespace omptarget::gpu {

namespace {

int32_t positive(uint32_t value) {
  return value > static_cast<uint32_t>(std::numeric_limits<int32_t>::max()) ? 0 : static_cast<int32_t>(value);
}

uint32_t at_least_one(uint32_t value) { return static_cast<uint32_t>(std::max(1, positive(value))); }

} // namespace

void Launch::write_arguments(uint64_t *values, uint64_t environment) const {
  if (has_environment())
    *values++ = environment;
  for (uint32_t i = 0; i < shape.NumArgs; ++i)
    *values++ = reinterpret_cast<uintptr_t>(arguments[i]) + (offsets ? static_cast<uint64_t>(offsets[i]) : 0);
}

Grid choose_grid(const Launch &launch, const LaunchLimits &device_limits) {
  const Kernel &kernel = launch.kernel;
  const __tgt_kernel_args &args = launch.shape;
  LaunchLimits limits = device_limits;
  if (kernel.warp_size() != 0)
    limits.warp_size = kernel.warp_size();
  if (kernel.max_threads() != 0)
    limits.max_threads = std::min(limits.max_threads, kernel.max_threads());
  Grid grid;
  const ExecMode mode = launch.mode();
  grid.shape = choose_launch_shape(kernel.traits(), limits,
                                   {mode, positive(args.NumTeams[0]), positive(args.ThreadLimit[0]), args.Tripcount});
  if (mode == ExecMode::kBare) {
    grid.teams_y = at_least_one(args.NumTeams[1]);
    grid.teams_z = at_least_one(args.NumTeams[2]);
    grid.threads_y = at_least_one(args.ThreadLimit[1]);
    grid.threads_z = at_least_one(args.ThreadLimit[2]);
  }
  grid.shared_memory = std::max(args.DynCGroupMem, limits.shared_memory);
  return grid;
}

void Device::announce(const Launch &launch, const Grid &grid) const {
  const char *kernel = launch.kernel.name().c_str();
  const char *mode = name_of(launch.mode());
  OMPTARGET_TRACE_DEVICE(Topic::kKernel, number(), "launch %s with %u blocks and %u threads in %s mode", kernel,
                         grid.shape.teams, grid.shape.threads, mode);
  if (wants_info(kInfoKernels)) [[unlikely]]
    omptarget::print_info(number(), "Launching kernel %s with %u blocks and %u threads in %s mode", kernel,
                          grid.shape.teams, grid.shape.threads, mode);
}

Status Device::launch_on(void *stream, const Launch &launch) {
  const Grid grid = choose_grid(launch, limits_);
  OMPTARGET_TRY_DURING(start(stream, launch, grid),
                       "while launching kernel %s with %u blocks, %u threads and %u bytes of dynamic shared memory",
                       launch.kernel.name().c_str(), grid.shape.teams, grid.shape.threads, grid.shared_memory);
  return Status::ok();
}

} // namespace omptarget::gpu
