// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches: the shape of the grid, the launch environment, the arguments in memory, the packet.

#include <algorithm>
#include <cstring>
#include <limits>

#include "amdgpu/device.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "common/boundary.h"
#include "common/device_layouts.h"

namespace omptarget::amdgpu {

namespace {

constexpr uint32_t kFirstVersionWithEnvironment = 3;

struct Grid {
  LaunchShape shape;
  uint32_t teams_y = 1, teams_z = 1;
  uint32_t threads_y = 1, threads_z = 1;
  uint32_t group_memory = 0; ///< dynamic, bytes

  uint16_t dimensions() const { return teams_y * teams_z * threads_y * threads_z == 1 ? 1 : 3; }
};

int32_t positive(uint32_t value) {
  return value > static_cast<uint32_t>(std::numeric_limits<int32_t>::max()) ? 0 : static_cast<int32_t>(value);
}

Grid choose_grid(const Kernel &kernel, ExecMode mode, const LaunchLimits &device_limits, const __tgt_kernel_args &args) {
  LaunchLimits limits = device_limits;
  // A kernel's wavefronts need not be those that the device has by default.
  if (kernel.metadata().wavefront_size != 0)
    limits.warp_size = kernel.metadata().wavefront_size;
  if (kernel.max_threads() != 0)
    limits.max_threads = std::min(limits.max_threads, kernel.max_threads());
  Grid grid;
  grid.shape = choose_launch_shape(
      kernel.traits(), limits, {mode, positive(args.NumTeams[0]), positive(args.ThreadLimit[0]), args.Tripcount});
  if (mode == ExecMode::kBare) {
    grid.teams_y = static_cast<uint32_t>(std::max(1, positive(args.NumTeams[1])));
    grid.teams_z = static_cast<uint32_t>(std::max(1, positive(args.NumTeams[2])));
    grid.threads_y = static_cast<uint32_t>(std::max(1, positive(args.ThreadLimit[1])));
    grid.threads_z = static_cast<uint32_t>(std::max(1, positive(args.ThreadLimit[2])));
  }
  grid.group_memory = std::max(args.DynCGroupMem, limits.shared_memory);
  return grid;
}

// A packet holds work-items, and threads in 16 bits each.
Status check_grid(const Grid &grid, const Kernel &kernel, const DeviceProperties &properties) {
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
  const uint64_t group = uint64_t{kernel.metadata().group_size} + grid.group_memory;
  if (group > properties.group_memory)
    return Status::error(format("kernel %s: %u bytes of dynamic shared memory beside its own %u bytes; the device has "
                                "%u bytes per team",
                                kernel.name().c_str(), grid.group_memory, kernel.metadata().group_size,
                                properties.group_memory));
  return Status::ok();
}

hsa_kernel_dispatch_packet_t packet_of(const Kernel &kernel, const Grid &grid, void *arguments) {
  hsa_kernel_dispatch_packet_t packet{};
  packet.setup = grid.dimensions();
  packet.workgroup_size_x = static_cast<uint16_t>(grid.shape.threads);
  packet.workgroup_size_y = static_cast<uint16_t>(grid.threads_y);
  packet.workgroup_size_z = static_cast<uint16_t>(grid.threads_z);
  packet.grid_size_x = grid.shape.teams * grid.shape.threads;
  packet.grid_size_y = grid.teams_y * grid.threads_y;
  packet.grid_size_z = grid.teams_z * grid.threads_z;
  packet.private_segment_size = kernel.private_size();
  packet.group_segment_size = kernel.metadata().group_size + grid.group_memory;
  packet.kernel_object = kernel.object();
  packet.kernarg_address = arguments;
  return packet;
}

ImplicitValues implicit_values(const Grid &grid, const Stream &stream) {
  return {{grid.shape.teams, grid.teams_y, grid.teams_z},
          {static_cast<uint16_t>(grid.shape.threads), static_cast<uint16_t>(grid.threads_y),
           static_cast<uint16_t>(grid.threads_z)},
          grid.dimensions(),
          grid.group_memory,
          reinterpret_cast<uintptr_t>(stream.hsa_queue)};
}

void tell(const Device &device, const Kernel &kernel, ExecMode mode, const LaunchShape &shape) {
  OMPTARGET_TRACE_DEVICE(Topic::kKernel, device.number(), "launch %s with %u blocks and %u threads in %s mode",
                         kernel.name().c_str(), shape.teams, shape.threads, name_of(mode));
  if (wants_info(kInfoKernels)) [[unlikely]]
    print_info(device.number(), "Launching kernel %s with %u blocks and %u threads in %s mode", kernel.name().c_str(),
               shape.teams, shape.threads, name_of(mode));
  static const bool traces_kernels = setting_integer(SettingId::kKernelTrace) > 0;
  if (traces_kernels) [[unlikely]]
    write_error_line(format("device %d: %u blocks of %u threads, %s mode, shared memory %u bytes, stack %u bytes, "
                            "arguments %u bytes: %s",
                            device.number(), shape.teams, shape.threads, name_of(mode), kernel.metadata().group_size,
                            kernel.private_size(), kernel.metadata().kernarg_size, kernel.name().c_str()));
}

} // namespace

Result<uint64_t> Device::reduction_environment(Stream &stream, const Kernel &kernel, Attachments &attachments) {
  OMPTARGET_TRY_ASSIGN(attachments.reduction, queues_.take_reduction(kernel.traits().reduction_buffer_size()));
  const uint64_t memory = attachments.reduction->memory;
  const LaunchEnvironment initial{0, 0, memory + ReductionBlock::kBufferOffset};
  OMPTARGET_TRY_DURING(submit_block(stream, memory, &initial, sizeof(initial)), "while preparing a launch environment");
  return memory;
}

Status Device::launch_on(Stream &stream, const Launch &launch) {
  const KernelTraits &traits = launch.kernel->traits();
  uint64_t environment = kNoLaunchEnvironment;
  Attachments attachments;
  if (launch.shape->Version >= kFirstVersionWithEnvironment && traits.reduction_buffer_size() != 0) {
    Result<uint64_t> prepared = reduction_environment(stream, *launch.kernel, attachments);
    if (!prepared) {
      if (attachments.reduction)
        queues_.give_back_reduction(std::move(attachments.reduction));
      return prepared.take_status();
    }
    environment = *prepared;
  }
  return launch_packet(stream, launch, environment, std::move(attachments));
}

// Arguments of kernels are 8 bytes each, of all generations; what the metadata says they take is compared.
Status Device::launch_packet(Stream &stream, const Launch &launch, uint64_t environment, Attachments attachments) {
  const Kernel &kernel = *launch.kernel;
  const __tgt_kernel_args &args = *launch.shape;
  const bool has_environment = args.Version >= kFirstVersionWithEnvironment;
  const ExecMode mode = kernel.traits().mode_for(args.Version);
  const Grid grid = choose_grid(kernel, mode, limits_, args);
  const uint64_t explicit_size = (uint64_t{args.NumArgs} + (has_environment ? 1 : 0)) * sizeof(uint64_t);
  const auto prepare = [&]() -> Status {
    OMPTARGET_TRY(check_grid(grid, kernel, properties_));
    if (explicit_size > UINT16_MAX * sizeof(uint64_t))
      return Status::error(format("kernel %s: %u arguments", kernel.name().c_str(), args.NumArgs));
    OMPTARGET_TRY_ASSIGN(const ImplicitLayout layout, kernel.implicit_layout(static_cast<uint32_t>(explicit_size)));
    const size_t size = std::max<size_t>({kernel.metadata().kernarg_size, explicit_size, sizeof(uint64_t)});
    OMPTARGET_TRY_ASSIGN(attachments.block, memory_.allocate_block(size));
    uint64_t *values = static_cast<uint64_t *>(attachments.block);
    std::memset(values, 0, size);
    if (has_environment)
      *values++ = environment;
    for (uint32_t i = 0; i < args.NumArgs; ++i)
      *values++ = reinterpret_cast<uintptr_t>(launch.arguments[i]) +
                  (launch.offsets ? static_cast<uint64_t>(launch.offsets[i]) : 0);
    layout.write(attachments.block, implicit_values(grid, stream));
    return Status::ok();
  };
  Status status = prepare();
  if (!status) {
    if (attachments.reduction)
      queues_.give_back_reduction(std::move(attachments.reduction));
    return status;
  }
  tell(*this, kernel, mode, grid.shape);
  launches_.launched(&stream, kernel.name(), grid.shape.teams, grid.shape.threads);
  const hsa_kernel_dispatch_packet_t packet = packet_of(kernel, grid, attachments.block);
  OMPTARGET_TRY_DURING(stream.launch(packet, std::move(attachments)),
                       "while launching kernel %s with %u blocks, %u threads and %u bytes of dynamic shared memory",
                       kernel.name().c_str(), grid.shape.teams, grid.shape.threads, grid.group_memory);
  return Status::ok();
}

Status Device::run_single(Kernel &kernel) {
  __tgt_kernel_args shape{};
  shape.Version = 2;
  shape.NumTeams[0] = shape.ThreadLimit[0] = 1;
  return on_own_stream([&](Stream &stream) { return launch_on(stream, {&kernel, nullptr, nullptr, &shape}); })
      .during("while running kernel " + kernel.name());
}

} // namespace omptarget::amdgpu
