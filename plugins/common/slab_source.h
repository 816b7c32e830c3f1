// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts small blocks out of large ones, so that a driver whose allocations cost calls each (AMD's: one to allocate,
// one to let the device at it, one to free) is asked once for many.
#pragma once

#include <cstddef>
#include <vector>

#include "base/guarded.h"
#include "common/caching_allocator.h"

namespace omptarget {

/// Any thread. Blocks go back to the source together with the rest of their slab, so an allocator that keeps blocks
/// should lie above.
class SlabSource final : public MemorySource {
public:
  static constexpr size_t kSlabBytes = size_t{256} << 10;
  static constexpr size_t kMostInSlab = size_t{8} << 10; ///< larger blocks are the source's own
  static constexpr size_t kAlignment = 64;

  /// The source outlives it, and gets back what it has given.
  explicit SlabSource(MemorySource &source) : source_(source) {}

  /// Where a slab is not to be had, a block of the source's own.
  Result<void *> allocate(size_t size) override;
  Status release(void *memory) override;

private:
  struct Slab {
    std::byte *begin;
    size_t cut;  ///< bytes that were ever handed out
    size_t live; ///< blocks that are
    void *take(size_t size);
  };
  MemorySource &source_;
  Guarded<std::vector<Slab>> slabs_; ///< never held across a call to the source
};

} // namespace omptarget
