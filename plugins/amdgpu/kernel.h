// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of a loaded image: its code in the driver and what decides how it is launched. Its address is the handle that
// the host library holds.
#pragma once

#include <memory>
#include <string>

#include "amdgpu/hsa_api.h"
#include "amdgpu/metadata.h"
#include "base/status.h"
#include "common/kernel_traits.h"
#include "common/launch_log.h"

namespace omptarget::amdgpu {

class Kernel {
public:
  /// code: the driver's symbol of the kernel's descriptor.
  static Result<std::unique_ptr<Kernel>> create(std::string name, hsa_executable_symbol_t code,
                                                const KernelMetadata &metadata, const KernelTraits &traits,
                                                CodeObjectVersion version);

  const std::string &name() const { return name_; }
  const KernelTraits &traits() const { return traits_; }
  const KernelMetadata &metadata() const { return metadata_; }
  /// What a dispatch packet names the kernel by.
  uint64_t object() const { return object_; }
  /// Most threads of a team that its registers allow; 0: not said.
  uint32_t max_threads() const { return metadata_.max_threads; }
  std::string description() const { return describe_kernel(name_); }

  /// Bytes of stack of a thread; the setting counts where the kernel does not know how much it needs.
  uint32_t private_size() const { return private_size_; }
  /// The implicit arguments of a launch with this many bytes of explicit ones. Fails if the kernel takes others.
  Result<ImplicitLayout> implicit_layout(uint32_t explicit_size) const;

private:
  Kernel(std::string name, const KernelMetadata &metadata, const KernelTraits &traits, CodeObjectVersion version)
      : name_(std::move(name)), metadata_(metadata), traits_(traits), version_(version) {}

  std::string name_;
  KernelMetadata metadata_;
  KernelTraits traits_;
  CodeObjectVersion version_;
  uint64_t object_ = 0;
  uint32_t private_size_ = 0;
};

} // namespace omptarget::amdgpu
