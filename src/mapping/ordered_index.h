// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mappings ordered by host address, read without a lock.
//
// Two levels: a directory of leaves, each leaf a sorted array of up to 120 keys. A search compares with every 16th key
// of every 16 at once, so that it waits for memory three times even among a million keys, not twenty times. One sequence
// counter covers all: a reader notes it, reads, and reads again if it changed.
// Leaves and directories are never given back to the system, so a reader that lost a race reads garbage and never
// freed memory. All accesses are acquire loads and release stores instead of fences, which cost nothing on x86 and which
// ThreadSanitizer understands.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/object_blocks.h"

namespace omptarget {

class Mapping;

/// Reading: any thread. Writing: one thread at a time, the owner's lock held, between begin_write and end_write.
class OrderedIndex {
public:
  OrderedIndex();
  ~OrderedIndex();
  OrderedIndex(const OrderedIndex &) = delete;
  OrderedIndex &operator=(const OrderedIndex &) = delete;

  struct Neighbours {
    Mapping *below;      ///< with the largest key that is not above the key asked for, or null
    Mapping *above;      ///< with the smallest key that is above it, or null
    uintptr_t above_key; ///< of above, which need not be fetched for it
    uint32_t leaf;       ///< where the key belongs
    uint32_t position;
  };
  /// Where a key was looked for and not found: inserting it needs no second search if nothing has changed since.
  struct Gap {
    static constexpr uint32_t kUnknown = 1;
    uint32_t version = kUnknown;
    Neighbours around;
  };

  /// A read section: what around() returned between the two is right only if end_read says so. begin_read returns an odd
  /// number while a writer is at work.
  uint32_t begin_read() const { return version_.load(std::memory_order_acquire); }
  bool end_read(uint32_t version) const { return version_.load(std::memory_order_acquire) == version; }
  Neighbours around(uintptr_t key) const;

  void begin_write() { version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  void end_write() { version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  void insert(uintptr_t key, Mapping *value);
  /// The same; around is what around(key) returns as the index is now.
  void insert_at(const Neighbours &around, uintptr_t key, Mapping *value);
  /// Whether nothing has changed since; the owner's lock held.
  bool is_current(const Gap &gap) const { return version_.load(std::memory_order_relaxed) == gap.version; }
  void erase(uintptr_t key);

  size_t size() const { return size_.load(std::memory_order_relaxed); }
  /// Leaves in use; the owner's lock held.
  size_t leaf_count() const;
  /// All values in order of their keys; the owner's lock held.
  std::vector<Mapping *> values() const;
  /// The first broken invariant, in words; empty if there is none. The owner's lock held.
  std::string fault() const;

private:
  static constexpr uint32_t kLeafCapacity = 120; // a leaf takes a little less than half a page

  /// A key and what belongs to it in one cache line. In a directory: a leaf and a bound of its keys.
  template <typename T> struct Slot {
    std::atomic<uintptr_t> key{0};
    std::atomic<T *> value{nullptr};
  };
  struct Leaf {
    std::atomic<uint32_t> count{0};
    Slot<Mapping> slots[kLeafCapacity];
  };
  struct Directory;

  /// Of a leaf whose keys must be at least lowest and below limit.
  static std::string leaf_fault(const Leaf &leaf, uintptr_t lowest, uintptr_t limit);
  Leaf *new_leaf();
  uint32_t leaf_index(const Directory &directory, uintptr_t key) const;
  void insert_into(Leaf &leaf, uint32_t count, uint32_t position, uintptr_t key, Mapping *value);
  void split(uint32_t index);
  void remove_leaf(uint32_t index);
  /// If both fit into half a leaf; whether they did.
  bool merge_with_next(uint32_t index);
  void add_to_directory(uint32_t index, uintptr_t first_key, Leaf *leaf);

  std::atomic<uint32_t> version_{0};
  std::atomic<Directory *> directory_;
  std::atomic<size_t> size_{0};
  ObjectBlocks<Leaf> leaves_; // all that were ever made
  std::vector<Leaf *> free_leaves_;
  std::vector<std::unique_ptr<Directory>> directories_; // the current one last; the others wait for slow readers
};

} // namespace omptarget
