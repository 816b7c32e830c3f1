// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU: its properties, its primary context, and what was loaded and allocated in it. Nothing of the driver's is created
// before init(). The functions are those of the plugin ABI without its conventions; plugin.cpp adds these.
//
// Order of locks: none of the locks here and in the parts below is held while another one is taken.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "common/device_function_map.h"
#include "common/launch_rules.h"
#include "cuda/cuda_api.h"
#include "cuda/fault.h"
#include "cuda/image.h"
#include "cuda/memory.h"
#include "cuda/queue.h"
#include "cuda/staging.h"
#include "omptarget/plugin.h"

namespace omptarget::cuda {

/// What the driver tells of a device without a context.
struct DeviceProperties {
  CUdevice handle = 0;
  int sm = 0; ///< 10 * major + minor of the compute capability
  int multiprocessors = 0;
  int max_threads = 0;
  int max_threads_per_multiprocessor = 0;
  int max_grid = 0;
  int warp_size = 0;
  int shared_memory = 0; ///< bytes that a team can have
  bool has_managed_memory = false;
  bool reaches_pageable_memory = false;
  bool has_memory_pools = false;

  static Result<DeviceProperties> read(int32_t id);
};

class Device;
using FunctionMap = DeviceFunctionMap<Device, Image>;

class Device {
public:
  Device(int32_t id, const DeviceProperties &properties);

  /// The device for which this thread is inside of a Scope, or null.
  static Device *current();

  int32_t id() const { return id_; }
  /// Its number in the program.
  int32_t number() const;
  const DeviceProperties &properties() const { return properties_; }
  CUcontext context() const { return context_; }
  bool is_ready() const { return is_ready_.load(std::memory_order_acquire); }
  const LaunchLimits &limits() const { return limits_; }

  /// Retains the primary context and creates what the settings ask for in advance. Called once, without a Scope.
  Status init();
  /// Runs destructors, releases everything and the context. Not ready afterwards. Does nothing if it is not ready.
  Status deinit();

  // Everything below: is_ready(), and inside of a Scope of this device.

  Result<__tgt_target_table *> load_image(const __tgt_device_image &image);
  Status unload_image(__tgt_target_table *table);

  /// async may be null; then the work is complete on return.
  Status submit(CUdeviceptr target, const void *host, size_t size, __tgt_async_info *async);
  Status retrieve(void *host, CUdeviceptr target, size_t size, __tgt_async_info *async);
  Status fill(CUdeviceptr target, uint8_t value, size_t size, __tgt_async_info *async);
  Status copy_to(Device &other, CUdeviceptr destination, CUdeviceptr source, size_t size, __tgt_async_info *async);

  struct Launch {
    Kernel *kernel;
    void *const *arguments;
    const ptrdiff_t *offsets; ///< may be null
    const __tgt_kernel_args *shape;
  };
  Status launch(const Launch &launch, __tgt_async_info *async);
  /// Runs a kernel without arguments with one thread, to the end.
  Status run_single(Kernel &kernel);

  Status synchronize(__tgt_async_info &async) { return queues_.synchronize(async); }
  QueueSet &queues() { return queues_; }
  Memory &memory() { return memory_; }
  FunctionMap &function_map() { return function_map_; }
  Status wait_for_kernels();
  LaunchLog &launches() { return launches_; }
  const std::vector<std::unique_ptr<Image>> &images() const { return images_; }

  /// Writes device environment, memory pool and function map into an image that was just loaded.
  Status write_environment(Image &image);
  void print_info() const;

  /// The failure of a driver call. If it ended the context, that of the kernel, and of all later calls.
  Status failure(CUresult result, const std::string &call);
  const Fault &fault() const { return fault_; }

private:
  friend class Scope;
  Status create_contents();
  Status set_context_limits();
  Status set_up_memory_pool(Image &image);
  void report_memory_pool(Image &image);
  void report_statistics();
  Status release_contents();
  Status close_image(Image &image);
  Status enable_peer(Device &other);
  /// Runs an operation on the stream of async, or on one of its own to the end.
  template <typename Operation> Status on_stream(__tgt_async_info *async, Operation operation);
  Status submit_on(CUstream stream, CUdeviceptr target, const void *host, size_t size);
  Status launch_on(CUstream stream, const Launch &launch);
  Status launch_packed(CUstream stream, const Launch &launch, uint64_t environment);
  bool should_stage(const void *host, size_t size);

  const int32_t id_;
  const DeviceProperties properties_;
  LaunchLimits limits_;
  CUcontext context_ = nullptr;
  std::atomic<bool> is_ready_{false};
  bool is_lost_ = false;    ///< its context could not be entered to give everything back
  uint32_t debug_kind_ = 0; ///< LIBOMPTARGET_DEVICE_RTL_DEBUG
  int64_t pool_size_ = 0;   ///< LIBOMPTARGET_HEAP_SIZE, bytes, or 0
  Fault fault_;
  LaunchLog launches_;
  Memory memory_;
  QueueSet queues_;
  Staging staging_;
  FunctionMap function_map_;
  std::vector<std::unique_ptr<Image>> images_; ///< loading and unloading are serialised by the caller
  std::vector<void *> memory_pools_;
  std::mutex peers_mutex_;
  std::vector<CUcontext> peers_; ///< that were asked whether this one reaches their memory
};

/// Makes a device's context current for a while and puts the thread's own back, which a program that uses CUDA itself
/// counts on. Check status() first.
class Scope {
public:
  explicit Scope(Device &device);
  ~Scope();
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;
  Status take_status() { return std::move(status_); }

private:
  Device *outer_;
  bool pushed_ = false;
  Status status_;
};

/// The number of a device in the program: that of the first one plus its own.
void set_device_offset(int32_t first);
int32_t device_offset();
/// Mask of the program's requires directives.
void set_requirements(int64_t mask);
bool uses_unified_shared_memory();
/// Devices of the plugin.
int32_t number_of_devices();

} // namespace omptarget::cuda
