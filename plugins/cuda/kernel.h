// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of a loaded image: its function in the driver.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "base/status.h"
#include "cuda/cuda_api.h"
#include "gpu/kernel.h"

namespace omptarget::cuda {

class Image;

class Kernel final : public gpu::Kernel {
public:
  /// Without traits they are read from the device, when the driver is asked. The image outlives it. stack: bytes that
  /// its threads may need and the driver cannot know (StackNeeds); otherwise 0.
  Kernel(std::string name, const Image &image, const std::optional<KernelTraits> &traits, uint64_t stack)
      : gpu::Kernel(std::move(name), traits.value_or(KernelTraits())), image_(image), has_traits_(traits.has_value()),
        stack_(stack) {}

  CUfunction function() const { return function_; }
  /// Makes launches with this many bytes of dynamic shared memory possible; device_limit: the most for a team. Any
  /// thread.
  Status allow_dynamic_shared_memory(uint32_t bytes, uint32_t device_limit);

private:
  Status ask_driver() override;
  uint32_t ask_resident_teams() const;

  const Image &image_;
  const bool has_traits_;
  const uint64_t stack_;
  CUfunction function_ = nullptr;
  std::atomic<uint32_t> dynamic_shared_memory_{0}; ///< allowed so far
};

} // namespace omptarget::cuda
