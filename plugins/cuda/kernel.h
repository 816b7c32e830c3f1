// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of a loaded image: its function in the driver.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/status.h"
#include "cuda/cuda_api.h"
#include "gpu/kernel.h"

namespace omptarget::cuda {

class Kernel final : public gpu::Kernel {
public:
  /// Context of the device current. Asks the driver for what it knows of the function.
  static Result<std::unique_ptr<gpu::Kernel>> create(std::string name, CUfunction function, const KernelTraits &traits);

  CUfunction function() const { return function_; }
  /// Makes launches with this many bytes of dynamic shared memory possible; device_limit: what a team can have. Any thread.
  Status allow_dynamic_shared_memory(uint32_t bytes, uint32_t device_limit);

private:
  Kernel(std::string name, CUfunction function, const KernelTraits &traits)
      : gpu::Kernel(std::move(name), traits), function_(function) {}

  const CUfunction function_;
  std::atomic<uint32_t> dynamic_shared_memory_{0}; ///< allowed so far
};

} // namespace omptarget::cuda
