// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An image loaded on a device, with its symbols, kernels and entry table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/status.h"
#include "common/elf_image.h"
#include "common/entry_table.h"
#include "common/global_calls.h"
#include "gpu/image_profile.h"
#include "gpu/kernel.h"
#include "gpu/launch_turns.h"
#include "gpu/vendor.h"

namespace omptarget::gpu {

struct GlobalAddress {
  uint64_t address;
  size_t size;
};

/// All functions: inside of a Scope of the device; calls for one device are serialised.
class Image {
public:
  /// Loads the image into the driver and resolves its entries. The device's functions for memory must be ready.
  static Result<std::unique_ptr<Image>> load(Device &device, const __tgt_device_image &source);
  Image(Device &device, std::unique_ptr<ImageTarget> target) : device_(device), target_(std::move(target)) {}
  virtual ~Image() = default;

  __tgt_target_table *table() { return &table_.table; }
  /// Writes the first bytes of a global, no more than the global has; false if there is none.
  Result<bool> write_global(const std::string &name, const void *bytes, size_t size) const;
  /// False if there is none, or it has fewer bytes.
  Result<bool> read_global(const std::string &name, void *bytes, size_t size) const;
  /// A kernel by name, kept until the image goes; null if the image has none of that name.
  Result<Kernel *> find_kernel(const std::string &name);
  /// Its kernels may ask the host for something while they run.
  void note_services();
  /// Before it is unloaded, when none of its kernels is under way.
  void release_turns();
  /// Where its code counts what it does, if it does.
  const std::optional<ProfilePlace> &profile() const { return profile_; }

  // ---- What a driver does

  /// A global of the image, if it has it.
  virtual Result<std::optional<GlobalAddress>> find_global(const std::string &name) const = 0;
  /// Runs the constructors or destructors of clang 17 and later, as far as the image has any.
  virtual Status run_global_calls(GlobalCall kind) = 0;
  /// Takes it out of the driver. Nothing of it may be running.
  virtual Status unload() = 0;

protected:
  /// Gives the image to the driver. Parses it into elf_ if it is an ELF file of which symbols can be read.
  virtual Status load_code(const void *bytes, size_t size) = 0;
  /// A kernel of that name; null if the image has none. Asks the driver only if the file does not tell.
  virtual Result<std::unique_ptr<Kernel>> create_kernel(const std::string &name) = 0;
  /// The device address of a function whose entry the image has no record of; 0 if it cannot be told.
  virtual Result<uint64_t> find_function(const std::string &name) = 0;
  /// Finds what run_global_calls needs, while the file is there.
  virtual Status prepare_global_calls() = 0;

  Device &device() const { return device_; }
  const ImageTarget &target() const { return *target_; }
  /// The bytes, or a copy if they lie at an address that drivers do not take. For the time of loading.
  const void *aligned(const void *bytes, size_t size);
  /// The first bytes of a global as they were when the image was loaded; false if there is none of that size or more.
  Result<bool> read_initial(const std::string &symbol, void *bytes, size_t size) const;
  /// The value of a global that holds a device address; 0 if there is none.
  Result<uint64_t> read_address(const std::string &name) const;
  Result<KernelTraits> traits_of(const std::string &kernel) const;

  std::string copy_;            ///< copy of the image while it is loaded, if one is needed
  std::optional<ElfImage> elf_; ///< refers to the file; while it is loaded

private:
  Status load_from(const __tgt_device_image &source);
  Result<void *> resolve(EntryKind kind, const std::string &name, size_t size);
  Result<void *> resolve_function(const std::string &name);
  Status set_reference_pointers(const __tgt_device_image &source);

  Device &device_;
  const std::unique_ptr<ImageTarget> target_;
  bool needs_services_ = false;
  std::unique_ptr<LaunchTurns> turns_; ///< if its kernels must not run at once
  std::optional<ProfilePlace> profile_;
  std::unordered_map<std::string, std::unique_ptr<Kernel>> kernels_; ///< by name
  EntryTable table_;
};

} // namespace omptarget::gpu
