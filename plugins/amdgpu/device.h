// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU: its properties, and what was loaded and allocated on it. Nothing of the driver's is created before init(). The
// functions are those of the plugin ABI without its conventions; plugin.cpp adds these.
//
// Order of locks: writing into a hardware queue comes last; none of the others here and in the parts below is held while
// another one is taken, except that an event's is held while signals are counted, a host copy's while its block is given
// back, and that of what a device has pinned while that of what all have pinned is.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "amdgpu/fault.h"
#include "amdgpu/hsa_api.h"
#include "amdgpu/image.h"
#include "amdgpu/memory.h"
#include "amdgpu/queue.h"
#include "amdgpu/signal.h"
#include "amdgpu/staging.h"
#include "base/status.h"
#include "common/device_function_map.h"
#include "common/launch_rules.h"
#include "omptarget/plugin.h"

namespace omptarget::amdgpu {

/// What the driver tells of a device without anything being created on it.
struct DeviceProperties {
  hsa_agent_t agent{0};
  TargetId target;
  std::string isa; ///< as the driver calls it
  MemoryPool device_pool;
  uint32_t compute_units = 0;
  uint32_t wavefront_size = 0;
  uint32_t max_waves = 0;   ///< of a compute unit
  uint32_t max_threads = 0; ///< of a team
  uint32_t max_grid = 0;    ///< work-items of a launch
  uint32_t group_memory = 0; ///< bytes that a team can have
  uint32_t max_queues = 0;
  uint32_t least_queue_size = 0;
  uint32_t most_queue_size = 0;
  uint64_t clock_frequency = 0; ///< ticks per second of the device's steady counter
  bool is_apu = false;

  static Result<DeviceProperties> read(hsa_agent_t agent);
};

class Device;
using FunctionMap = DeviceFunctionMap<Device, Image>;

class Device {
public:
  Device(int32_t id, const DeviceProperties &properties);

  int32_t id() const { return id_; }
  /// Its number in the program.
  int32_t number() const;
  const DeviceProperties &properties() const { return properties_; }
  hsa_agent_t agent() const { return properties_.agent; }
  bool is_ready() const { return is_ready_.load(std::memory_order_acquire); }
  const LaunchLimits &limits() const { return limits_; }

  /// Creates what the settings ask for in advance. Called once.
  Status init();
  /// Runs destructors and releases everything. Not ready afterwards. Does nothing if it is not ready.
  Status deinit();

  // Everything below: is_ready().

  Result<__tgt_target_table *> load_image(const __tgt_device_image &image);
  Status unload_image(__tgt_target_table *table);

  /// async may be null; then the work is complete on return.
  Status submit(uint64_t target, const void *host, size_t size, __tgt_async_info *async);
  Status retrieve(void *host, uint64_t target, size_t size, __tgt_async_info *async);
  Status fill(uint64_t target, uint8_t value, size_t size, __tgt_async_info *async);
  Status copy_to(Device &other, uint64_t destination, uint64_t source, size_t size, __tgt_async_info *async);
  bool can_copy_to(const Device &other) const;

  struct Launch {
    Kernel *kernel;
    void *const *arguments;
    const ptrdiff_t *offsets; ///< may be null
    const __tgt_kernel_args *shape;
  };
  Status launch(const Launch &launch, __tgt_async_info *async);
  /// Runs a kernel without arguments with one thread, to the end.
  Status run_single(Kernel &kernel);
  Status wait_for_kernels() { return queues_.wait_for_kernels(); }

  Status synchronize(__tgt_async_info &async) { return queues_.synchronize(async); }
  QueueSet &queues() { return queues_; }
  SignalPool &signals() { return signals_; }
  Memory &memory() { return memory_; }
  FunctionMap &function_map() { return function_map_; }
  LaunchLog &launches() { return launches_; }
  const std::vector<std::unique_ptr<Image>> &images() const { return images_; }
  bool uses_zero_copy() const;

  /// Writes device environment, memory pool and function map into an image that was just loaded.
  Status write_environment(Image &image);
  void print_info() const;

  /// The device can no longer be used: the fault is that of the kernels under way. Any thread, also one of the driver's.
  void lose(const std::string &what);
  const Fault &fault() const { return fault_; }

  /// Gives a copy to the copy engines; for Stream.
  Status start_copy(const Stream::Copy &copy, const std::vector<hsa_signal_t> &dependencies, hsa_signal_t completion);

private:
  Status create_contents();
  Status set_up_memory_pool(Image &image);
  void report_memory_pool(Image &image);
  void report_statistics();
  Status release_contents();
  Status close_image(Image &image);
  /// Runs an operation on the stream of async, or on one of its own to the end.
  Status on_stream(__tgt_async_info *async, const std::function<Status(Stream &)> &operation);
  Status on_own_stream(const std::function<Status(Stream &)> &operation);
  Status submit_on(Stream &stream, uint64_t target, const void *host, size_t size);
  Status submit_pageable(Stream &stream, uint64_t target, const void *host, size_t size);
  Status retrieve_on(Stream &stream, void *host, uint64_t target, size_t size);
  Status retrieve_pageable(Stream &stream, void *host, uint64_t target, size_t size);
  Status fill_on(Stream &stream, uint64_t target, uint8_t value, size_t size);
  Status submit_block(Stream &stream, uint64_t target, const void *bytes, size_t size);
  Result<uint64_t> reduction_environment(Stream &stream, const Kernel &kernel, Attachments &attachments);
  Status launch_on(Stream &stream, const Launch &launch);
  Status launch_packet(Stream &stream, const Launch &launch, uint64_t environment, Attachments attachments);

  const int32_t id_;
  const DeviceProperties properties_;
  LaunchLimits limits_;
  std::atomic<bool> is_ready_{false};
  bool uses_two_engines_ = false;
  std::atomic<uint32_t> next_engine_{0};
  Fault fault_;
  LaunchLog launches_;
  SignalPool signals_;
  Memory memory_;
  QueueSet queues_;
  Staging staging_;
  FunctionMap function_map_;
  std::vector<std::unique_ptr<Image>> images_; ///< loading and unloading are serialised by the caller
  std::vector<void *> memory_pools_;
};

/// The number of a device in the program: that of the first one plus its own.
void set_device_offset(int32_t first);
int32_t device_offset();
/// Mask of the program's requires directives.
void set_requirements(int64_t mask);
bool uses_unified_shared_memory();
/// Devices of the plugin, and what they share; fixed once they were found.
int32_t number_of_devices();
const std::vector<hsa_agent_t> &all_agents();
const HostPools &host_pools();

} // namespace omptarget::amdgpu
