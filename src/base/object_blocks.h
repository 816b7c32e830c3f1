// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects that live as long as their owner, side by side in blocks that double up to the size of a huge page: scattered
// reads touch few pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

#include "base/buffer_pool.h"

namespace omptarget {

/// Not synchronised. Addresses are stable; nothing is given back before the end.
template <typename T> class ObjectBlocks {
public:
  ObjectBlocks() = default;
  ObjectBlocks(const ObjectBlocks &) = delete;
  ObjectBlocks &operator=(const ObjectBlocks &) = delete;
  /// Nobody may be reading any more.
  ~ObjectBlocks() {
    for (const Block &block : blocks_) {
      std::destroy_n(block.objects, block.count);
      pool_.give(block.objects, block.bytes);
    }
  }

  /// A new object, default constructed.
  T *make() {
    if (blocks_.empty() || blocks_.back().count == blocks_.back().bytes / sizeof(T))
      add_block();
    Block &block = blocks_.back();
    return new (block.objects + block.count++) T();
  }

private:
  static_assert(alignof(T) <= 64);
  struct Block {
    T *objects;
    size_t count;
    size_t bytes;
  };
  static constexpr size_t kFirstBytes = 8 << 10;
  static constexpr size_t kMostBytes = 2 << 20;
  static_assert(sizeof(T) <= kFirstBytes);

  void add_block() {
    const size_t bytes = blocks_.empty() ? kFirstBytes : std::min(2 * blocks_.back().bytes, kMostBytes);
    blocks_.push_back({static_cast<T *>(pool_.take(bytes)), 0, bytes});
  }

  BufferPool pool_;
  std::vector<Block> blocks_;
};

} // namespace omptarget
