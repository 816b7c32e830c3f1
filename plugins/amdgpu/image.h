// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images: which devices they are for, and an image loaded on a device with its symbols, kernels and entry table.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "amdgpu/hsa_api.h"
#include "amdgpu/kernel.h"
#include "amdgpu/metadata.h"
#include "base/status.h"
#include "common/elf_image.h"
#include "common/entry_table.h"
#include "common/global_calls.h"

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
  /// Of such a text, or of an ISA's name, "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-".
  static Result<TargetId> parse(std::string_view text);
};

/// What an image is and which devices can run it.
struct ImageTarget {
  CodeObjectVersion version = CodeObjectVersion::kV5;
  TargetId target;
  uint32_t generic_version = 0; ///< of a generic target; 0: the target is a processor

  std::string name() const; ///< "gfx90a:xnack+ (code object V5)"

  /// How well a device runs the image: 0 not at all; of several images the greatest number is best. Code for the
  /// processor comes before code for a generic target, code for the features as they are set before code for any.
  int rank(const TargetId &device) const;
};

/// Reads what an image says about itself. Any thread, no driver needed.
Result<ImageTarget> read_image_target(const void *image, size_t size);

struct GlobalAddress {
  uint64_t address;
  size_t size;
};

/// An image on a device. Calls for one device are serialised.
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
  Status load_code(const void *bytes, size_t size);
  Status load_executable(const void *bytes, size_t size);
  Status resolve_entries(const __tgt_device_image &image);
  Result<void *> resolve(EntryKind kind, const std::string &name, size_t size);
  Result<void *> resolve_function(const std::string &name);
  Status set_reference_pointers(const __tgt_device_image &image);
  Result<bool> read_initial(const std::string &symbol, void *bytes, size_t size) const;
  /// A symbol of the driver's, of this kind, if the image has it.
  Result<std::optional<hsa_executable_symbol_t>> find_symbol(const std::string &name, int kind) const;
  Result<KernelTraits> traits_of(const std::string &name) const;

  Device &device_;
  ImageTarget target_;
  std::string copy_;            ///< of an image that is not aligned; while it is loaded
  std::optional<ElfImage> elf_; ///< refers to the file; while it is loaded
  CodeObjectMetadata metadata_;
  hsa_executable_t executable_{0};
  std::vector<std::unique_ptr<Kernel>> kernels_;
  EntryTable table_;
};

} // namespace omptarget::amdgpu
