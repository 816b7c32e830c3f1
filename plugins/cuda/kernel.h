// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of a loaded image: its function in the driver and what decides how it is launched. Its address is the handle
// that the host library holds.
#pragma once

#include <atomic>
#include <string>

#include "base/status.h"
#include "common/kernel_traits.h"
#include "common/launch_log.h"
#include "cuda/cuda_api.h"

namespace omptarget::cuda {

class Kernel {
public:
  /// Context of the device current. Asks the driver for what it knows of the function.
  static Result<std::unique_ptr<Kernel>> create(std::string name, CUfunction function, const KernelTraits &traits);

  const std::string &name() const { return name_; }
  CUfunction function() const { return function_; }
  const KernelTraits &traits() const { return traits_; }
  /// Most threads of a team that its registers allow.
  uint32_t max_threads() const { return max_threads_; }
  /// Name, and function and line of the source as far as the name tells them.
  std::string description() const { return describe_kernel(name_); }

  /// Makes launches with this many bytes of dynamic shared memory possible; device_limit: what a team can have. Any thread.
  Status allow_dynamic_shared_memory(uint32_t bytes, uint32_t device_limit);

private:
  Kernel(std::string name, CUfunction function, const KernelTraits &traits)
      : name_(std::move(name)), function_(function), traits_(traits) {}

  std::string name_;
  CUfunction function_;
  KernelTraits traits_;
  uint32_t max_threads_ = 0;
  uint32_t static_shared_memory_ = 0;
  std::atomic<uint32_t> dynamic_shared_memory_{0}; ///< allowed so far
};

} // namespace omptarget::cuda
