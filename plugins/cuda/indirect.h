// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of indirect functions that device code looks host functions up in.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "cuda/cuda_api.h"
#include "omptarget/plugin.h"

namespace omptarget::cuda {

class Device;
class Image;

/// The current table of a device. Serialised by the caller. Context of the device current.
class FunctionMap {
public:
  /// Puts a new table in place of the current one, in all loaded images.
  Status set(Device &device, uint64_t count, const __omp_offloading_fptr_map_ty *table);
  /// Makes an image, just loaded, know the current table.
  Status write(Device &device, Image &image) const;
  Status release(Device &device);

  CUdeviceptr address() const { return address_; }
  uint64_t count() const { return count_; } ///< pairs

private:
  CUdeviceptr address_ = 0;
  uint64_t count_ = 0;
  uint64_t most_count_ = 0; ///< that kernels may have read
};

} // namespace omptarget::cuda
