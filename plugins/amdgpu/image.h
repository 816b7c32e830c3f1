// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images: which devices they are for, and an executable of the driver with its kernels.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "amdgpu/hsa_api.h"
#include "amdgpu/metadata.h"
#include "base/status.h"
#include "gpu/image.h"

namespace omptarget::amdgpu {

class Device;

/// How a device has a feature set, or what an image wants of it.
enum class Feature : uint8_t { kUnsupported, kAny, kOff, kOn };

/// "gfx90a:sramecc+:xnack-".
struct TargetId {
  std::string processor;
  Feature xnack = Feature::kUnsupported;
  Feature sramecc = Feature::kUnsupported;

  std::string name() const;
  /// Reads such a text, or an ISA's name, "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-".
  static Result<TargetId> parse(std::string_view text);
};

/// The kind of an image, and the devices that can run it.
struct ImageTarget {
  CodeObjectVersion version = CodeObjectVersion::kV5;
  TargetId target;
  uint32_t generic_version = 0; ///< version of a generic target; 0: the target is a processor

  std::string name() const; ///< "gfx90a:xnack+ (code object V5)"

  /// How well a device runs the image: 0 not at all; of several images the greatest number is best. Code for the
  /// processor comes before code for a generic target, code for the features as they are set before code for any.
  int rank(const TargetId &device) const;
};

/// Reads what an image says about itself. Any thread, no driver needed.
Result<ImageTarget> read_image_target(const void *image, size_t size);

class Image final : public gpu::Image {
public:
  using gpu::Image::Image;
  Result<std::optional<gpu::GlobalAddress>> find_global(const std::string &name) const override;
  Status run_global_calls(GlobalCall kind) override;
  Status unload() override;
  const Device &amd_device() const;
  /// The driver's symbol of a kernel's descriptor, if it has one.
  Result<std::optional<hsa_executable_symbol_t>> find_code(const std::string &kernel) const {
    return find_symbol(kernel + ".kd", HSA_SYMBOL_KIND_KERNEL);
  }

private:
  Status load_code(const void *bytes, size_t size) override;
  Status load_executable(const void *bytes, size_t size);
  Result<std::unique_ptr<gpu::Kernel>> create_kernel(const std::string &name) override;
  Result<uint64_t> find_function(const std::string &name) override;
  Status prepare_global_calls() override;
  /// A symbol of the driver's, of this kind, if the image has it.
  Result<std::optional<hsa_executable_symbol_t>> find_symbol(const std::string &name, int kind) const;
  hsa_agent_t agent() const;

  CodeObjectMetadata metadata_;
  hsa_executable_t executable_{0};
};

} // namespace omptarget::amdgpu
