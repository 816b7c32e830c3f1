// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches: the launch environment, the packed arguments, the driver's call.

#include "common/device_layouts.h"
#include "cuda/device.h"
#include "cuda/driver.h"
#include "cuda/kernel.h"

namespace omptarget::cuda {

namespace {

constexpr size_t kArgumentsOnStack = 32;

} // namespace

Status Device::check_launch(const gpu::Launch &launch, const gpu::Grid &grid) {
  return static_cast<Kernel &>(launch.kernel)
      .allow_dynamic_shared_memory(grid.shared_memory, static_cast<uint32_t>(properties_.shared_memory));
}

// One packed buffer serves the kernels of all generations; the driver compares its size with what the kernel takes.
Status Device::start(gpu::Stream &stream, const gpu::Launch &launch, const gpu::LaunchPlan &plan) {
  if (launch.argument_count() > kArgumentsOnStack) [[unlikely]]
    return start_with_many(as_stream(stream), launch, plan);
  uint64_t values[kArgumentsOnStack];
  return start_with(as_stream(stream), launch, plan, values);
}

[[gnu::noinline]] Status Device::start_with_many(Stream &stream, const gpu::Launch &launch,
                                                 const gpu::LaunchPlan &plan) {
  std::vector<uint64_t> values(launch.argument_count());
  return start_with(stream, launch, plan, values.data());
}

[[gnu::always_inline]] inline Status Device::start_with(Stream &stream, const gpu::Launch &launch,
                                                        const gpu::LaunchPlan &plan, uint64_t *values) {
  Kernel &kernel = static_cast<Kernel &>(launch.kernel);
  const gpu::Grid &grid = plan.grid;
  uint64_t environment = kNoLaunchEnvironment;
  if (plan.environment.is_needed()) {
    OMPTARGET_TRY_ASSIGN(environment, queues_.launch_environment(stream, plan.environment));
  }
  launch.write_arguments(values, environment);
  size_t size = launch.argument_count() * sizeof(uint64_t);
  void *extra[] = {reinterpret_cast<void *>(kLaunchParamBufferPointer), values,
                   reinterpret_cast<void *>(kLaunchParamBufferSize), &size, reinterpret_cast<void *>(kLaunchParamEnd)};

  if (!stream.copies.is_empty()) [[unlikely]]
    OMPTARGET_TRY(queues_.settle_for_kernels(stream));
  const auto note = [&] { launches().launched(&stream, kernel.name(), grid.shape.teams, grid.shape.threads); };
  if (kernel.needs_services()) // which are asked before the call returns, and say whose
    note();
  OMPTARGET_TRY(OMPTARGET_CU_ON(stream, cuLaunchKernel, kernel.function(), grid.shape.teams, grid.teams_y, grid.teams_z,
                                grid.shape.threads, grid.threads_y, grid.threads_z, grid.shared_memory, stream.handle(),
                                nullptr, size == 0 ? nullptr : extra));
  if (!kernel.needs_services())
    note();
  return Status::ok();
}

} // namespace omptarget::cuda
