// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images: which devices they are for, and a module of the driver with its kernels.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/status.h"
#include "common/global_calls.h"
#include "cuda/cuda_api.h"
#include "cuda/stack_needs.h"
#include "gpu/image.h"

namespace omptarget::cuda {

class Device;

/// The code that a device runs.
struct Runs {
  int sm;     ///< 10 * major + minor
  int driver; ///< 1000 * major + 10 * minor of the newest CUDA that the driver serves
};

/// The kind of an image, and the devices that can run it.
struct ImageTarget {
  enum class Form { kCubin, kPtx, kPtxInElf };
  enum class Match { kFamily, kExact, kForward }; ///< which devices besides the very architecture
  Form form;
  int sm; ///< 10 * major + minor
  Match match;
  int least_driver = 0; ///< CUDA that the driver must serve, as Runs::driver

  std::string name() const; ///< "sm_90", "sm_90a", "sm_90 by CUDA 13 (driver 580 or later)", "PTX for sm_80"

  /// How well a device with its driver runs the image: 0 not at all; of several images the greatest number is best.
  /// Code for the device comes before code that the driver has to compile.
  int rank(const Runs &device) const;
};

/// The text of an image of the form kPtxInElf.
std::string_view ptx_of(const ElfImage &elf);

/// Reads what an image says about itself. Any thread, no driver needed.
Result<ImageTarget> read_image_target(const void *image, size_t size);

/// Context of the device current.
class Image final : public gpu::Image {
public:
  using gpu::Image::Image;
  Result<std::optional<gpu::GlobalAddress>> find_global(const std::string &name) const override;
  Status run_global_calls(GlobalCall kind) override;
  Status unload() override;
  /// The driver's function of a kernel; null if it has none of that name.
  Result<CUfunction> find_code(const std::string &name) const;
  using gpu::Image::traits_of;
  Device &cuda_device() const;

private:
  Status load_code(const void *bytes, size_t size) override;
  Status load_ptx(std::string_view text);
  bool ptx_has_kernel(const std::string &name);
  Result<std::unique_ptr<gpu::Kernel>> create_kernel(const std::string &name) override;
  Result<uint64_t> find_function(const std::string &name) override;
  Status prepare_global_calls() override;
  std::vector<GlobalCallSymbol> global_calls(GlobalCall kind) const;

  CUmodule module_ = nullptr;
  std::unordered_set<std::string_view> ptx_kernels_; ///< words of copy_; while it is loaded
  StackNeeds stacks_;                                ///< while it is loaded
  gpu::Kernel *constructor_kernel_ = nullptr;
  gpu::Kernel *destructor_kernel_ = nullptr;
  std::vector<GlobalCallSymbol> constructors_;
  std::vector<GlobalCallSymbol> destructors_;
};

} // namespace omptarget::cuda
