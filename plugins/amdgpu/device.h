// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An AMD GPU: its properties, and how its driver does what gpu::Device asks for.
//
// Order of locks: writing into a hardware queue comes last; none of the others here and in the parts below is held
// while another one is taken, except that an event's is held while signals are counted, a host copy's while its block
// is given back, and that of what a device has pinned while that of what all have pinned is.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "amdgpu/hsa_api.h"
#include "amdgpu/image.h"
#include "amdgpu/memory.h"
#include "amdgpu/queue.h"
#include "amdgpu/signal.h"
#include "gpu/device.h"

namespace omptarget::amdgpu {

/// Properties of a device that the driver has without creating anything on it.
struct DeviceProperties {
  hsa_agent_t agent{0};
  TargetId target;
  std::string isa; ///< as the driver calls it
  MemoryPool device_pool;
  HostPools host_pools;
  uint32_t compute_units = 0;
  uint32_t wavefront_size = 0;
  uint32_t max_waves = 0;    ///< waves of a compute unit
  uint32_t max_threads = 0;  ///< threads of a team
  uint32_t max_grid = 0;     ///< work-items of a launch
  uint32_t group_memory = 0; ///< bytes that a team can have
  uint32_t max_queues = 0;
  uint32_t least_queue_size = 0;
  uint32_t most_queue_size = 0;
  uint64_t clock_frequency = 0; ///< ticks per second of the device's steady counter
  bool is_apu = false;

  static Result<DeviceProperties> read(hsa_agent_t agent, const std::vector<hsa_agent_t> &cpus);
};

class Device final : public gpu::Device {
public:
  Device(int32_t id, const DeviceProperties &properties);

  const DeviceProperties &properties() const { return properties_; }
  /// Returns the target that images are compared with.
  const TargetId &runs() const { return properties_.target; }
  hsa_agent_t agent() const { return properties_.agent; }
  const HostPools &host_pools() const { return properties_.host_pools; }
  SignalPool &signals() { return signals_; }
  Memory &memory() { return memory_; }
  /// Gives a copy to the copy engines; for Stream.
  Status start_copy(const Stream::Copy &copy, std::span<const hsa_signal_t> dependencies, hsa_signal_t completion);

  std::string architecture() const override;
  std::string uid() const override;
  std::string pci_address() const override;
  void print_info() const override;
  uint32_t shared_memory_limit() const override { return properties_.group_memory; }
  void describe(__tgt_device_info &info) const override;
  bool can_copy_to(const gpu::Device &other) const override;
  gpu::HostMemoryAccess host_memory_access() const override;
  bool shares_memory_with_cpu() const override { return properties_.is_apu; }
  std::unique_ptr<gpu::Image> make_image(std::unique_ptr<gpu::ImageTarget> target) override;
  std::unique_ptr<gpu::StagingBuffer> make_staging_buffer() override;
  Result<uint64_t> free_memory() const override;
  Result<void *> allocate_for_kernel(uint64_t size) override { return memory_.allocate(size, OMPTARGET_ALLOC_DEVICE); }
  Status wait_for_kernels() override { return queues_.wait_for_kernels(); }

private:
  void set_limits(LaunchLimits &limits) const override;
  gpu::DeviceRates rates() const override;
  /// Device code has no malloc of the driver's, so the device runtime always gets a pool.
  bool has_heap_pools() const override { return true; }
  bool reaches_pageable_memory() const;
  Status create_own() override;
  Status release_own() override;
  std::string summary() const override;

  // A copy goes directly from and to memory that is pinned; otherwise through a block, a pin of its own, or in pieces.
  Status copy_in(gpu::Stream &stream, uint64_t target, const void *host, size_t size) override;
  /// A block of pinned memory, of the stream's room, or attached.
  Result<void *> take_block(Stream &stream, size_t size, Attachments &attachments);
  bool is_small(size_t size) const { return size <= gpu::StreamRoom::kSmall && size <= memory_.most_block(); }
  /// is_unsteady: others have pinned the memory (PinnedView).
  Status submit_pageable(Stream &stream, uint64_t target, const void *host, size_t size, bool is_unsteady);
  Status submit_block(Stream &stream, uint64_t target, const void *bytes, size_t size);
  Status copy_out(gpu::Stream &stream, void *host, uint64_t target, size_t size) override;
  Status retrieve_block(Stream &stream, void *host, uint64_t target, size_t size, bool is_pageable);
  Status retrieve_pageable(Stream &stream, void *host, uint64_t target, size_t size, bool is_unsteady);
  Status fill_on(gpu::Stream &stream, uint64_t target, uint8_t value, size_t size) override;
  Status copy_between(gpu::Stream &stream, const DeviceCopy &copy) override;
  Status connect(const DeviceCopy &copy) override;
  Status check_launch(const gpu::Launch &launch, const gpu::Grid &grid) override;
  Status start(gpu::Stream &stream, const gpu::Launch &launch, const gpu::LaunchPlan &plan) override;
  Result<void *> prepare_arguments(Stream &stream, const gpu::Launch &launch, const gpu::LaunchPlan &plan,
                                   Attachments &attachments);
  Status settle_for_kernels(Stream &stream);

  const DeviceProperties properties_;
  bool uses_two_engines_ = false;
  std::atomic<uint32_t> next_engine_{0};
  SignalPool signals_;
  Memory memory_;
  QueueSet queues_;
};

/// Returns the agents that the devices share. Fixed once they were found.
const std::vector<hsa_agent_t> &all_agents();

} // namespace omptarget::amdgpu
