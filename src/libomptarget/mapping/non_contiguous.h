// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that a motion clause names: one block, or for a strided or multi-dimensional section many.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>

#include "base/status.h"
#include "mapping/map_type.h"

namespace omptarget {

/// One dimension as compilers describe it, outermost first (abi: non-contiguous update).
struct SectionDimension {
  uint64_t offset; ///< first index, or by clang 23 the bytes before it
  uint64_t count;  ///< number of indices
  uint64_t stride; ///< bytes from one to the next
};

/// Blocks of equal size at regular distances.
class HostBlocks {
public:
  HostBlocks(HostPtr first, int64_t size) : first_(first), size_(size) {}
  /// Repeats everything so far count times, stride bytes apart.
  void repeat(uint64_t count, uint64_t stride) { repetitions_.push_back({0, count, stride}); }

  template <typename Function> void for_each(Function function) const { visit(repetitions_.size(), first_, function); }

private:
  template <typename Function> void visit(size_t level, HostPtr begin, Function &function) const {
    if (level == 0)
      return function(begin, size_);
    const SectionDimension &dimension = repetitions_[level - 1];
    for (uint64_t i = 0; i < dimension.count; ++i)
      visit(level - 1, begin + static_cast<int64_t>(i * dimension.stride), function);
  }

  HostPtr first_;
  int64_t size_;
  llvm::SmallVector<SectionDimension, 4> repetitions_; // innermost first
};

/// Returns whether the item's descriptor leaves open if its offsets are indices or bytes, and both name different
/// memory.
bool may_have_byte_offsets(const MapItem &item);

/// The blocks of an item of target update. Neighbouring blocks are one. Fails for descriptors that make no sense.
/// start: where the section really begins, if the caller knows better than the descriptor.
Result<HostBlocks> host_blocks(const MapItem &item, HostPtr start = HostPtr::kNull);

/// Calls action for each contiguous part of the items of a target update, in their order, until it fails. Fails, too,
/// for descriptors that make no sense.
Status for_each_part(llvm::ArrayRef<MapItem> items,
                     llvm::function_ref<Status(const MapItem &, HostPtr begin, int64_t size)> action);

} // namespace omptarget
