// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of a loaded image: its code in the driver.
#pragma once

#include <string>

#include "amdgpu/hsa_api.h"
#include "amdgpu/metadata.h"
#include "base/status.h"
#include "gpu/kernel.h"

namespace omptarget::amdgpu {

class Image;

class Kernel final : public gpu::Kernel {
public:
  /// The image outlives it.
  Kernel(std::string name, const Image &image, const KernelMetadata &metadata, const KernelTraits &traits,
         CodeObjectVersion version)
      : gpu::Kernel(std::move(name), traits), image_(image), metadata_(metadata), version_(version) {
    max_threads_ = metadata.max_threads;
    warp_size_ = metadata.wavefront_size;
  }

  const KernelMetadata &metadata() const { return metadata_; }
  /// Returns the handle of the kernel for dispatch packets.
  uint64_t object() const { return object_; }
  /// Returns a thread's bytes of stack: the larger of the kernel's value and LIBOMPTARGET_STACK_SIZE.
  uint32_t private_size() const { return private_size_; }
  /// The implicit arguments of a launch with this many bytes of explicit ones. Fails if the kernel takes others.
  Result<ImplicitLayout> implicit_layout(uint32_t explicit_size) const;

private:
  Status ask_driver() override;
  uint32_t count_resident_teams() const;

  const Image &image_;
  KernelMetadata metadata_;
  const CodeObjectVersion version_;
  uint64_t object_ = 0;
  uint32_t private_size_ = 0;
};

} // namespace omptarget::amdgpu
