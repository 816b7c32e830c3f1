// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One image loaded on one device: a private copy with globals of its own.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/address_range.h"
#include "base/status.h"
#include "host/code_map.h"
#include "host/image_check.h"
#include "host/image_file.h"
#include "omptarget/plugin.h"

namespace omptarget::host {

class LoadedImage {
public:
  /// Checks the image and loads it; runs its constructors. The failure says what is wrong with it.
  static Result<std::unique_ptr<LoadedImage>> load(int32_t device, const __tgt_device_image &image);

  /// Runs its destructors.
  ~LoadedImage();
  LoadedImage(const LoadedImage &) = delete;
  LoadedImage &operator=(const LoadedImage &) = delete;

  __tgt_target_table *table() { return &table_; }

  /// For programs with requires unified_shared_memory: its variables refer to the host's, of which the entries have the
  /// addresses. The host libraries of LLVM leave that to the plugin.
  void refer_to_host(const __tgt_device_image &image);

  /// The image's own variables that tell it what the device is; null where it has none that can be written.
  struct DeviceVariables {
    void *functions = nullptr; ///< address of the table of indirect functions
    void *function_count = nullptr;
    void *environment = nullptr;
    uint64_t environment_size = 0;
  };
  const DeviceVariables &device_variables() const { return variables_; }

  struct Symbol {
    void *address = nullptr;
    uint64_t size = 0;
  };
  /// A symbol that this very image exports; null if it has none of that name.
  Symbol find_symbol(const char *name) const;

private:
  /// A symbol that can be written to, with at least size bytes.
  void *find_writable(const char *name, uint64_t size) const;
  void find_variables();
  void meet_device_rtl();
  void meet_block_teams();
  Status answer_for(int32_t device);
  Status redirect(uint64_t word, const void *function);
  AddressRange range() const;
  LoadedImage(ImageFile file, ImageLayout layout) : file_(std::move(file)), layout_(std::move(layout)) {}
  Status open(int32_t device);
  Status fill_table(int32_t device, const __tgt_device_image &image);
  Status check_address(const __tgt_offload_entry &entry, const void *address) const;
  void *address_of(const __tgt_offload_entry &entry) const;
  void *own_entry(const char *name) const;
  const Segment *segment_of(const void *address, uint64_t size) const;
  bool can_be_written(const Segment &segment, uint64_t address) const;
  bool is_name(const char *text) const;

  ImageFile file_;
  ImageLayout layout_;
  void *handle_ = nullptr;
  uintptr_t base_ = 0;
  std::vector<__tgt_offload_entry> entries_;
  __tgt_target_table table_{};
  bool has_kernels_per_team_ = false;
  std::unique_ptr<CodeMap> code_; ///< null if the image needs no block teams
  DeviceVariables variables_;     // found once: finding takes the dynamic loader's lock
};

} // namespace omptarget::host
