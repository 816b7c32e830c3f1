// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of indirect functions on a GPU, and where its images look for them: the RFC's globals, the fields of the
// device environment, and what our lookup knows of other images.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/guarded.h"
#include "base/status.h"
#include "omptarget/plugin.h"

namespace omptarget::gpu {

class Device;
class Image;

/// One table for all images, and a table of its own for each image that was given one. Serialised by the caller and
/// inside of a Scope, but for call_of_other().
class FunctionMaps {
public:
  explicit FunctionMaps(Device &device) : device_(device) {}

  /// Puts a new table of all images in place of the current one.
  Status set(uint64_t count, const __omp_offloading_fptr_map_ty *pairs);
  /// Gives an image, just loaded, a table of its own.
  Status set_own(const Image &image, const __tgt_image_functions &functions);
  /// Makes an image, just loaded, know the table of all images.
  Status write(const Image &image);
  /// The image has been unloaded.
  Status take_back(const Image &image);
  Status release();

  /// Which function of another image device code wanted to call when it stopped, and from where; empty if it did not.
  /// Any thread.
  std::string call_of_other();

private:
  struct Table {
    uint64_t address = 0;
    uint64_t count = 0; ///< pairs
  };
  /// The state of an image with a table of its own.
  struct Own {
    Table table;
    std::string module; ///< file name
    decltype(__tgt_image_functions::describe) describe = nullptr;
    uint64_t *asked = nullptr; ///< null: its device code has no lookup of ours
  };

  struct Place; ///< place of a table's address, or of its count
  static const Place kAddress, kCount;
  Result<uint64_t> copy(uint64_t count, const __omp_offloading_fptr_map_ty *pairs, uint64_t room);
  Status make_own(const Image &image, const __tgt_image_functions &functions, Own &own);
  Status free_own(const Own &own);
  Status write_all(const Image &image, const Place &place);
  Status write_table(const Image &image, const Place &place, const Table &table);
  Status write_value(const Image &image, const char *global, size_t offset, uint64_t value);

  Device &device_;
  Table all_;
  uint64_t most_count_ = 0; ///< largest count of all_ that kernels may have read
  Guarded<std::unordered_map<const Image *, Own>> own_;
};

} // namespace omptarget::gpu
