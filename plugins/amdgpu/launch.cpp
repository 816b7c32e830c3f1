// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches: the launch environment, the arguments in memory, the packet.

#include <algorithm>
#include <cstring>

#include "amdgpu/device.h"
#include "amdgpu/kernel.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "common/device_layouts.h"

namespace omptarget::amdgpu {

namespace {

uint16_t dimensions(const gpu::Grid &grid) {
  return grid.teams_y * grid.teams_z * grid.threads_y * grid.threads_z == 1 ? 1 : 3;
}

// A packet holds work-items, and threads in 16 bits each.
Status check_grid(const gpu::Grid &grid, const Kernel &kernel, const DeviceProperties &properties) {
  const uint64_t threads = uint64_t{grid.shape.threads} * grid.threads_y * grid.threads_z;
  const uint64_t most_threads =
      kernel.max_threads() != 0 ? std::min(kernel.max_threads(), properties.max_threads) : properties.max_threads;
  if (threads > most_threads || std::max({grid.shape.threads, grid.threads_y, grid.threads_z}) > UINT16_MAX)
    return Status::error(format("kernel %s: %llu threads per team; it can have %llu", kernel.name().c_str(),
                                static_cast<unsigned long long>(threads),
                                static_cast<unsigned long long>(most_threads)));
  const uint64_t items[] = {uint64_t{grid.shape.teams} * grid.shape.threads, uint64_t{grid.teams_y} * grid.threads_y,
                            uint64_t{grid.teams_z} * grid.threads_z};
  for (const uint64_t item : items)
    if (item > properties.max_grid)
      return Status::error(format("kernel %s: %llu threads in all; the device can have %u", kernel.name().c_str(),
                                  static_cast<unsigned long long>(item), properties.max_grid));
  const uint64_t group = uint64_t{kernel.metadata().group_size} + grid.shared_memory;
  if (group > properties.group_memory)
    return Status::error(format("kernel %s: %u bytes of dynamic shared memory beside its own %u bytes; the device has "
                                "%u bytes per team",
                                kernel.name().c_str(), grid.shared_memory, kernel.metadata().group_size,
                                properties.group_memory));
  return Status::ok();
}

hsa_kernel_dispatch_packet_t packet_of(const Kernel &kernel, const gpu::Grid &grid, const void *arguments) {
  hsa_kernel_dispatch_packet_t packet{};
  packet.setup = dimensions(grid);
  packet.workgroup_size_x = static_cast<uint16_t>(grid.shape.threads);
  packet.workgroup_size_y = static_cast<uint16_t>(grid.threads_y);
  packet.workgroup_size_z = static_cast<uint16_t>(grid.threads_z);
  packet.grid_size_x = grid.shape.teams * grid.shape.threads;
  packet.grid_size_y = grid.teams_y * grid.threads_y;
  packet.grid_size_z = grid.teams_z * grid.threads_z;
  packet.private_segment_size = kernel.private_size();
  packet.group_segment_size = kernel.metadata().group_size + grid.shared_memory;
  packet.kernel_object = kernel.object();
  packet.kernarg_address = const_cast<void *>(arguments);
  return packet;
}

ImplicitValues implicit_values(const gpu::Grid &grid, const Stream &stream) {
  return {{grid.shape.teams, grid.teams_y, grid.teams_z},
          {static_cast<uint16_t>(grid.shape.threads), static_cast<uint16_t>(grid.threads_y),
           static_cast<uint16_t>(grid.threads_z)},
          dimensions(grid),
          grid.shared_memory,
          reinterpret_cast<uintptr_t>(stream.native)};
}

// LIBOMPTARGET_KERNEL_TRACE.
void trace_kernel(int32_t device, const Kernel &kernel, const gpu::Grid &grid, ExecMode mode) {
  static const bool traces_kernels = setting_integer(SettingId::kKernelTrace) > 0;
  if (traces_kernels) [[unlikely]]
    write_error_line(format("device %d: %s blocks of %s threads, %s mode, shared memory %u bytes, stack %u bytes, "
                            "arguments %u bytes: %s",
                            device, grid.teams_text().c_str(), grid.threads_text().c_str(), name_of(mode),
                            kernel.metadata().group_size, kernel.private_size(), kernel.metadata().kernarg_size,
                            kernel.name().c_str()));
}

} // namespace

// Compares the arguments with the kernel's metadata.
Result<void *> Device::prepare_arguments(Stream &stream, const gpu::Launch &launch, const gpu::LaunchPlan &plan,
                                         Attachments &attachments) {
  const Kernel &kernel = static_cast<const Kernel &>(launch.kernel);
  uint64_t environment = kNoLaunchEnvironment;
  if (plan.environment.is_needed()) {
    OMPTARGET_TRY_ASSIGN(attachments.environment, queues_.take_environment(plan.environment));
    environment = attachments.environment->memory;
    gpu::EnvironmentBlock &block = *attachments.environment;
    if (!block.is_written)
      OMPTARGET_TRY_DURING(submit_block(stream, environment, block.initial.data(), block.initial_size),
                           "while preparing a launch environment");
    block.is_written = true;
  }
  const size_t explicit_size = launch.argument_count() * sizeof(uint64_t);
  if (explicit_size > UINT16_MAX * sizeof(uint64_t))
    return Status::error(format("kernel %s: %zu arguments", kernel.name().c_str(), launch.argument_count()));
  OMPTARGET_TRY_ASSIGN(const ImplicitLayout layout, kernel.implicit_layout(static_cast<uint32_t>(explicit_size)));
  const size_t size = std::max<size_t>({kernel.metadata().kernarg_size, explicit_size, sizeof(uint64_t)});
  OMPTARGET_TRY_ASSIGN(void *const block, take_block(stream, size, attachments));
  std::memset(block, 0, size);
  launch.write_arguments(static_cast<uint64_t *>(block), environment);
  layout.write(block, implicit_values(plan.grid, stream));
  return block;
}

// Copies that have not arrived where the kernel may look for them.
Status Device::settle_for_kernels(Stream &stream) {
  const auto is_pinned = [&](const void *host) { return memory_.is_pinned(const_cast<void *>(host), 1); };
  return stream.copies.may_be_awaited_by_kernels(is_pinned) ? stream.wait() : Status::ok();
}

Status Device::check_launch(const gpu::Launch &launch, const gpu::Grid &grid) {
  return check_grid(grid, static_cast<const Kernel &>(launch.kernel), properties_);
}

Status Device::start(gpu::Stream &handle, const gpu::Launch &launch, const gpu::LaunchPlan &plan) {
  const gpu::Grid &grid = plan.grid;
  Stream &stream = static_cast<Stream &>(handle);
  const Kernel &kernel = static_cast<const Kernel &>(launch.kernel);
  if (!stream.copies.is_empty()) [[unlikely]]
    OMPTARGET_TRY(settle_for_kernels(stream));
  Attachments attachments;
  Result<void *> arguments = prepare_arguments(stream, launch, plan, attachments);
  if (!arguments) {
    if (attachments.environment)
      queues_.give_back_environment(std::move(attachments.environment));
    return arguments.take_status();
  }
  trace_kernel(number(), kernel, grid, launch.mode());
  // Before the launch: a thread of the driver's may report its fault at once.
  launches().launched(&stream, kernel.name(), grid.shape.teams, grid.shape.threads);
  hsa_kernel_dispatch_packet_t packet = packet_of(kernel, grid, *arguments);
  return stream.launch(packet, std::move(attachments));
}

} // namespace omptarget::amdgpu
