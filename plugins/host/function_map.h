// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of indirect functions of one device, and writing it into the images that are loaded there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "host/image.h"
#include "omptarget/types.h"

namespace omptarget::host {

/// Not thread-safe: reached with the device's lock held. Kernels read tables at any time without it.
class FunctionMap {
public:
  explicit FunctionMap(int32_t device) : device_(device) {}
  FunctionMap(const FunctionMap &) = delete;
  FunctionMap &operator=(const FunctionMap &) = delete;

  /// Replaces the table, or fails and leaves it. The caller announces it to all images.
  Status set(uint64_t count, const __omp_offloading_fptr_map_ty *pairs);
  /// Gives tables back that no kernel can read any more; all images know the current one.
  void give_back_unread();
  /// Tells an image what the device is and where the current table lies.
  void announce(const LoadedImage &image) const;
  uint64_t count() const { return count_; }
  size_t tables() const { return tables_.size(); } ///< that take memory

private:
  struct Table {
    __omp_offloading_fptr_map_ty *pairs;
    uint64_t count;
    uint64_t retired; ///< moment of KernelRuns from which on no kernel that starts sees it; 0: the current one
  };
  Result<__omp_offloading_fptr_map_ty *> table_with(uint64_t count, const __omp_offloading_fptr_map_ty *pairs);

  int32_t device_;
  uint64_t count_ = 0;
  __omp_offloading_fptr_map_ty *current_ = nullptr;
  /// The current table and former ones, into which kernels that are running may hold pointers. A table that comes
  /// back (a library that is opened and closed again and again) is the old one once more.
  std::vector<Table> tables_;
};

} // namespace omptarget::host
