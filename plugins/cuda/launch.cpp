// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches: the shape of the grid, the launch environment, the packed arguments.

#include <algorithm>
#include <limits>

#include "base/log.h"
#include "common/boundary.h"
#include "common/device_layouts.h"
#include "cuda/device.h"
#include "cuda/driver.h"

namespace omptarget::cuda {

namespace {

constexpr uint32_t kFirstVersionWithEnvironment = 3;
constexpr size_t kArgumentsOnStack = 32;

struct Grid {
  LaunchShape shape;
  uint32_t teams_y = 1, teams_z = 1;
  uint32_t threads_y = 1, threads_z = 1;
  uint32_t shared_memory = 0;
};

int32_t positive(uint32_t value) {
  return value > static_cast<uint32_t>(std::numeric_limits<int32_t>::max()) ? 0 : static_cast<int32_t>(value);
}

Grid choose_grid(const Kernel &kernel, ExecMode mode, const LaunchLimits &device_limits, const __tgt_kernel_args &args) {
  LaunchLimits limits = device_limits;
  limits.max_threads = std::min(limits.max_threads, kernel.max_threads());
  Grid grid;
  grid.shape = choose_launch_shape(
      kernel.traits(), limits, {mode, positive(args.NumTeams[0]), positive(args.ThreadLimit[0]), args.Tripcount});
  if (mode == ExecMode::kBare) {
    grid.teams_y = std::max(1, positive(args.NumTeams[1]));
    grid.teams_z = std::max(1, positive(args.NumTeams[2]));
    grid.threads_y = std::max(1, positive(args.ThreadLimit[1]));
    grid.threads_z = std::max(1, positive(args.ThreadLimit[2]));
  }
  grid.shared_memory = std::max(args.DynCGroupMem, limits.shared_memory);
  return grid;
}

void tell(const Device &device, const Kernel &kernel, ExecMode mode, const LaunchShape &shape) {
  OMPTARGET_TRACE_DEVICE(Topic::kKernel, device.number(), "launch %s with %u blocks and %u threads in %s mode",
                         kernel.name().c_str(), shape.teams, shape.threads, name_of(mode));
  if (wants_info(kInfoKernels)) [[unlikely]]
    print_info(device.number(), "Launching kernel %s with %u blocks and %u threads in %s mode", kernel.name().c_str(),
               shape.teams, shape.threads, name_of(mode));
}

} // namespace

Status Device::launch_on(CUstream stream, const Launch &launch) {
  const KernelTraits &traits = launch.kernel->traits();
  uint64_t environment = kNoLaunchEnvironment;
  if (launch.shape->Version >= kFirstVersionWithEnvironment && traits.reduction_buffer_size() != 0) {
    OMPTARGET_TRY_ASSIGN(environment, queues_.reduction_environment(stream, traits.reduction_buffer_size()));
  }
  return launch_packed(stream, launch, environment);
}

// Parameters of kernels are 8 bytes each, of all generations, so one packed buffer serves them all; the driver compares
// its size with what the kernel takes.
Status Device::launch_packed(CUstream stream, const Launch &launch, uint64_t environment) {
  Kernel &kernel = *launch.kernel;
  const __tgt_kernel_args &args = *launch.shape;
  const bool has_environment = args.Version >= kFirstVersionWithEnvironment;
  const ExecMode mode = kernel.traits().mode_for(args.Version);
  const Grid grid = choose_grid(kernel, mode, limits_, args);
  OMPTARGET_TRY(kernel.allow_dynamic_shared_memory(grid.shared_memory, static_cast<uint32_t>(properties_.shared_memory)));

  uint64_t on_stack[kArgumentsOnStack];
  std::vector<uint64_t> on_heap;
  size_t size = args.NumArgs + (has_environment ? 1 : 0);
  uint64_t *values = on_stack;
  if (size > kArgumentsOnStack) {
    on_heap.resize(size);
    values = on_heap.data();
  }
  size_t next = 0;
  if (has_environment)
    values[next++] = environment;
  for (uint32_t i = 0; i < args.NumArgs; ++i)
    values[next++] = reinterpret_cast<uintptr_t>(launch.arguments[i]) +
                     (launch.offsets ? static_cast<uint64_t>(launch.offsets[i]) : 0);
  size *= sizeof(uint64_t);
  void *extra[] = {reinterpret_cast<void *>(kLaunchParamBufferPointer), values,
                   reinterpret_cast<void *>(kLaunchParamBufferSize), &size,
                   reinterpret_cast<void *>(kLaunchParamEnd)};

  tell(*this, kernel, mode, grid.shape);
  OMPTARGET_TRY_DURING(OMPTARGET_CU(cuLaunchKernel, kernel.function(), grid.shape.teams, grid.teams_y, grid.teams_z,
                                    grid.shape.threads, grid.threads_y, grid.threads_z, grid.shared_memory, stream,
                                    nullptr, size == 0 ? nullptr : extra),
                       "while launching kernel %s with %u blocks, %u threads and %u bytes of dynamic shared memory",
                       kernel.name().c_str(), grid.shape.teams, grid.shape.threads, grid.shared_memory);
  launches_.launched(stream, kernel.name(), grid.shape.teams, grid.shape.threads);
  return Status::ok();
}

Status Device::run_single(Kernel &kernel) {
  OMPTARGET_TRY_ASSIGN(CUstream stream, queues_.take());
  tell(*this, kernel, ExecMode::kBare, {1, 1});
  Status status = OMPTARGET_CU(cuLaunchKernel, kernel.function(), 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr);
  if (status) {
    launches_.launched(stream, kernel.name(), 1, 1);
    status = queues_.wait(stream);
  }
  if (status)
    queues_.give_back(stream);
  return std::move(status).during("while running kernel " + kernel.name());
}

} // namespace omptarget::cuda
