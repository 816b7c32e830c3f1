// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All mappings that were ever made, and lists of those that are free.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/object_blocks.h"
#include "mapping/mapping.h"
#include "mapping/ordered_index.h"

namespace omptarget {

/// Any thread. A free mapping is in one list, and its origin_ is the next one of the list. Each stripe of the index has
/// a list, which belongs to the thread that holds the stripe. The store keeps the other lists under its own mutex. A
/// stripe with an empty list gets one of them. A stripe with a long list brings half of it.
class MappingStore {
public:
  using List = OrderedIndex::FreeMappings;

  /// Takes a mapping from the list of a stripe that the caller holds.
  Mapping &take(List &list) {
    if (!list.first)
      fill(list);
    Mapping &mapping = *list.first;
    list.first = next_of(mapping);
    __builtin_prefetch(list.first, 1); // freed long ago, most likely
    --list.count;
    return mapping;
  }
  /// Frees a mapping that is in the index no more.
  void give(Mapping &mapping, List &list) {
    link(mapping, list);
    if (list.count == 4 * kBatch)
      store_half(list);
  }

  /// Around a fork.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  /// The first free mapping of these lists and the store's that is not free, in words; empty if there is none.
  std::string fault(std::vector<List> lists) const;

private:
  static constexpr uint32_t kBatch = 16; ///< so many at a time go between stripes and the store
  static Mapping *next_of(const Mapping &mapping) {
    return reinterpret_cast<Mapping *>(mapping.origin_.load(std::memory_order_relaxed));
  }
  static void link(Mapping &mapping, List &list) {
    mapping.origin_.store(reinterpret_cast<uintptr_t>(list.first), std::memory_order_release);
    list.first = &mapping;
    ++list.count;
  }
  void fill(List &list);
  void store_half(List &list);

  mutable std::mutex mutex_;
  ObjectBlocks<Mapping> mappings_;
  std::vector<List> stored_;
};

} // namespace omptarget
