// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images: which devices they are for, and an image loaded on a device with its symbols, kernels and entry table.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "common/elf_image.h"
#include "common/entry_table.h"
#include "common/global_calls.h"
#include "cuda/cuda_api.h"
#include "cuda/kernel.h"

namespace omptarget::cuda {

class Device;

/// What an image is and which devices can run it.
struct ImageTarget {
  enum class Form { kCubin, kPtx, kPtxInElf };
  enum class Match { kFamily, kExact, kForward }; ///< which devices besides the very architecture
  Form form;
  int sm;      ///< 10 * major + minor
  Match match;

  std::string name() const; ///< "sm_90", "sm_90a", "PTX for sm_80"

  /// How well a device of this architecture runs the image: 0 not at all; of several images the greatest number is best.
  /// Code for the device comes before code that the driver has to compile.
  int rank(int device_sm) const;
};

/// The text of an image of the form kPtxInElf.
std::string_view ptx_of(const ElfImage &elf);

/// Reads what an image says about itself. Any thread, no driver needed.
Result<ImageTarget> read_image_target(const void *image, size_t size);

struct GlobalAddress {
  CUdeviceptr address;
  size_t size;
};

/// An image on a device. All functions: context of the device current; calls for one device are serialised.
class Image {
public:
  /// Loads the image into the driver and resolves its entries. The device's functions for memory must be ready.
  static Result<std::unique_ptr<Image>> load(Device &device, const __tgt_device_image &image);
  /// Takes it out of the driver. Nothing of it may be running.
  Status unload();

  __tgt_target_table *table() { return &table_.table; }
  const ImageTarget &target() const { return target_; }
  /// A global of the image, if it has it.
  Result<std::optional<GlobalAddress>> find_global(const std::string &name) const;
  /// Writes the first bytes of a global, no more than the global has; false if there is none.
  Result<bool> write_global(const std::string &name, const void *bytes, size_t size) const;
  Result<bool> read_global(const std::string &name, void *bytes, size_t size) const;
  /// A kernel by name, kept until the image goes; null if the image has none of that name.
  Result<Kernel *> find_kernel(const std::string &name);

  /// Runs the constructors or destructors of clang 17 and later, as far as the image has any.
  Status run_global_calls(GlobalCall kind);

private:
  Image(Device &device, const ImageTarget &target) : device_(device), target_(target) {}
  Status load_module(const void *bytes, size_t size);
  Status load_ptx(std::string_view text);
  Status resolve_entries(const __tgt_device_image &image);
  Result<void *> resolve(EntryKind kind, const std::string &name, size_t size);
  Result<void *> resolve_function(const std::string &name);
  Status set_reference_pointers(const __tgt_device_image &image);
  Result<bool> read_initial(const std::string &symbol, void *bytes, size_t size) const;
  Status find_global_calls();
  std::vector<GlobalCallSymbol> global_calls(GlobalCall kind) const;

  Device &device_;
  ImageTarget target_;
  std::string copy_;            ///< of PTX, with the NUL that the driver wants, or of an image that is not aligned
  std::optional<ElfImage> elf_; ///< both only while loading
  CUmodule module_ = nullptr;
  std::vector<std::unique_ptr<Kernel>> kernels_;
  Kernel *constructor_kernel_ = nullptr;
  Kernel *destructor_kernel_ = nullptr;
  std::vector<GlobalCallSymbol> constructors_;
  std::vector<GlobalCallSymbol> destructors_;
  EntryTable table_;
};

} // namespace omptarget::cuda
