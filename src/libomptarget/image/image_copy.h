// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device image in memory of our own, so that its module may be closed while a plugin works with it.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "image/entry.h"
#include "image/offload_library.h"

namespace omptarget {

/// The bytes, entries and names of a device image. Not shared between threads while it changes.
class ImageCopy {
public:
  /// The image's module must be loaded for the time of the call.
  explicit ImageCopy(const DeviceImage &image);
  ImageCopy(ImageCopy &&) = default;
  ImageCopy &operator=(ImageCopy &&) = default;
  ~ImageCopy();

  const std::vector<Entry> &entries() const { return entries_; }
  const std::string &arch() const { return arch_; } ///< what the container said
  Wrapping wrapping() const { return wrapping_; }
  size_t number() const { return number_; } ///< in the module's descriptor
  std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }

  /// The record for plugins; valid as long as this copy, until a kernel is added.
  __tgt_device_image record();
  /// Adds a kernel that the program does not know to the record, behind all entries.
  void add_kernel(std::string name);

  /// Takes other bytes in place of its own: what was compiled from them.
  void replace_bytes(std::unique_ptr<std::byte[]> bytes, size_t size) {
    bytes_ = std::move(bytes);
    size_ = size;
  }

  /// Gives back the bytes; entries and names stay.
  void drop_bytes() {
    bytes_.reset();
    size_ = 0;
  }

private:
  std::unique_ptr<std::byte[]> bytes_;
  size_t size_;
  std::string arch_;
  Wrapping wrapping_;
  size_t number_;
  std::unique_ptr<char[]> names_;
  size_t names_size_ = 0;
  std::vector<Entry> entries_;
  std::vector<__tgt_offload_entry> records_; ///< the entries as plugins see them: same order, then added kernels
  std::deque<std::string> added_;            ///< names of these
};

} // namespace omptarget
