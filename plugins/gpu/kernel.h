// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of a loaded image: what decides how it is launched. Its address is the handle that the host library holds.
// The driver is asked about it before its first launch, so that kernels that are never launched cost it nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "base/status.h"
#include "common/kernel_traits.h"
#include "gpu/launch_plan.h"

namespace omptarget::gpu {

class LaunchTurns;

class Kernel {
public:
  virtual ~Kernel() = default;

  const std::string &name() const { return name_; }
  /// Asks the driver, unless that was done. Any thread, inside of a Scope. Everything below may be called afterwards.
  Status prepare() { return is_prepared_.load(std::memory_order_acquire) ? Status::ok() : prepare_once(); }
  const KernelTraits &traits() const { return traits_; }
  /// Returns whether its code may ask the host for something while it runs.
  bool needs_services() const { return needs_services_; }
  /// Most threads of a team that its registers allow; 0: not known.
  uint32_t max_threads() const { return max_threads_; }
  /// Threads that run together, if the kernel was made for another number than the device has by default; otherwise 0.
  uint32_t warp_size() const { return warp_size_; }
  /// Bytes of shared memory that it has itself.
  uint32_t static_shared_memory() const { return static_shared_memory_; }
  /// Teams of it that can be resident on the device at a time, with the threads that a team has by default; 0: not
  /// known.
  uint32_t resident_teams() const { return resident_teams_; }
  LaunchPlans &plans() { return plans_; }
  /// The order that it keeps with other kernels, or null.
  LaunchTurns *turns() const { return turns_; }

  /// While the image is loaded.
  void note_services() { needs_services_ = true; }
  void note_turns(LaunchTurns *turns) { turns_ = turns; }

protected:
  Kernel(std::string name, const KernelTraits &traits) : name_(std::move(name)), traits_(traits) {}

  /// Finds out what the driver knows of it, and sets what is below, and its traits if the file did not tell them.
  virtual Status ask_driver() = 0;
  void set_traits(const KernelTraits &traits) { traits_ = traits; }

  uint32_t max_threads_ = 0;
  uint32_t warp_size_ = 0;
  uint32_t static_shared_memory_ = 0;
  uint32_t resident_teams_ = 0;

private:
  Status prepare_once();

  const std::string name_;
  LaunchTurns *turns_ = nullptr;
  KernelTraits traits_;
  bool needs_services_ = false;
  std::mutex mutex_; ///< held while the driver is asked
  std::atomic<bool> is_prepared_{false};
  LaunchPlans plans_;
};

} // namespace omptarget::gpu
