// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An NVIDIA GPU: its properties, its primary context, and how its driver does what gpu::Device asks for.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/context.h"
#include "cuda/cuda_api.h"
#include "cuda/driver.h"
#include "cuda/image.h"
#include "cuda/memory.h"
#include "cuda/queue.h"
#include "gpu/device.h"

namespace omptarget::cuda {

/// Properties of a device that the driver has without a context.
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
  bool uses_host_page_tables = false; ///< it does so by the CPU's own

  static Result<DeviceProperties> read(int32_t id);
};

/// Returns whether threads sleep while they wait for a device: LIBOMPTARGET_CUDA_WAIT=block.
bool waits_by_sleeping();

class Device final : public gpu::Device {
public:
  Device(int32_t id, const DeviceProperties &properties);

  /// The device for which this thread is inside of a Scope, or null.
  static Device *current();

  const DeviceProperties &properties() const { return properties_; }
  /// Returns the facts that images are compared with.
  Runs runs() const { return {properties_.sm, driver().version}; }
  /// The failure of a driver call. If it ended the context, that of the kernel, and of all later calls.
  Status failure(CUresult result, const std::string &call);
  /// Lets each thread have so many bytes of stack, for a kernel of which the driver does not know it. Never lowers the
  /// limit of the context, which may be the program's; LIBOMPTARGET_STACK_SIZE stays. Any thread, inside of a Scope.
  Status provide_stack(uint64_t bytes);

  std::string architecture() const override;
  std::string uid() const override;
  std::string pci_address() const override;
  void print_info() const override;
  uint32_t shared_memory_limit() const override { return static_cast<uint32_t>(properties_.shared_memory); }
  void describe(__tgt_device_info &info) const override;
  gpu::HostMemoryAccess host_memory_access() const override;
  std::unique_ptr<gpu::Image> make_image(std::unique_ptr<gpu::ImageTarget> target) override;
  std::unique_ptr<gpu::StagingBuffer> make_staging_buffer() override;
  Result<uint64_t> free_memory() const override;
  Status wait_for_kernels() override;
  Result<void *> allocate_for_kernel(uint64_t size) override;

private:
  void choose_wait();
  /// Retains the primary context.
  Status open() override;
  Status close() override;
  void enter(Entry &entry) override;
  void leave(const Entry &entry) override;
  Status check_entered() override;
  void set_limits(LaunchLimits &limits) const override;
  gpu::DeviceRates rates() const override;
  Status create_own() override;
  Status release_own() override;
  std::string summary() const override;

  Status copy_in(gpu::Stream &stream, uint64_t target, const void *host, size_t size) override;
  Status copy_out(gpu::Stream &stream, void *host, uint64_t target, size_t size) override;
  Status fill_on(gpu::Stream &stream, uint64_t target, uint8_t value, size_t size) override;
  Status copy_between(gpu::Stream &stream, const DeviceCopy &copy) override;
  Status connect(const DeviceCopy &copy) override;
  Status check_launch(const gpu::Launch &launch, const gpu::Grid &grid) override;
  Status start(gpu::Stream &stream, const gpu::Launch &launch, const gpu::LaunchPlan &plan) override;
  /// values: room for the arguments.
  Status start_with(Stream &stream, const gpu::Launch &launch, const gpu::LaunchPlan &plan, uint64_t *values);
  Status start_with_many(Stream &stream, const gpu::Launch &launch, const gpu::LaunchPlan &plan);
  bool should_stage(const void *host, size_t size);
  std::string advice_on_fault(CUresult result) const;

  const DeviceProperties properties_;
  CUcontext context_ = nullptr;
  Memory memory_;
  QueueSet queues_;
  bool user_sets_stack_ = false;           ///< LIBOMPTARGET_STACK_SIZE
  std::mutex stack_mutex_;                 ///< from asking for the limit until it is set
  std::atomic<uint64_t> unknown_stack_{0}; ///< bytes that a kernel of no known stack has had last; 0: there was none
  std::mutex peers_mutex_;
  std::vector<CUcontext> peers_; ///< that were asked whether this one reaches their memory
};

} // namespace omptarget::cuda
