// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mappings that were found before, by the address that was looked up: guesses, which whoever takes one must check.
// Constructs use the same few data again and again; a good guess saves searching the index.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/buffer_pool.h"

namespace omptarget {

class Mapping;

/// Any thread, but one at a time grows. A held mapping may be removed, and used again, at any moment. Mappings
/// are never freed. Outgrown tables stay, since a thread may be reading them, but large ones lose their memory,
/// and then hold no guess.
class RecentMappings {
public:
  RecentMappings() { grow(kBits); }
  RecentMappings(const RecentMappings &) = delete;
  RecentMappings &operator=(const RecentMappings &) = delete;
  /// Nobody may be reading any more.
  ~RecentMappings() {
    for (const auto &table : tables_)
      pool_.give(table->slots, table->bytes());
  }

  /// A guess for what is found at this address, or null.
  Mapping *guess(HostPtr address) const { return slot_of(address).load(std::memory_order_acquire); }
  /// Has a guess fetched.
  void fetch(HostPtr address) const { __builtin_prefetch(&slot_of(address)); }
  void note(HostPtr address, Mapping *mapping) { slot_of(address).store(mapping, std::memory_order_release); }

  /// Returns whether so many mappings have too few slots: then the guesses of most are lost.
  bool is_small_for(size_t count) const {
    const unsigned bits = newest_bits();
    return bits < kMostBits && count > size_t{1} << bits >> 1;
  }
  /// Returns whether guesses are waited for, since they fill the nearer caches.
  bool is_large() const { return newest_bits() >= kLargeBits; }
  /// Four times as many slots, which hold nothing yet.
  void grow() { grow(newest_bits() + 2); }

private:
  using Slot = std::atomic<Mapping *>;
  struct Table {
    unsigned bits;
    Slot *slots;
    size_t bytes() const { return sizeof(Slot) << bits; }
  };
  static constexpr unsigned kBits = 9;
  static constexpr unsigned kLargeBits = 19; ///< of more than 65,536 mappings
  static constexpr unsigned kMostBits = 21;  ///< 16 megabytes, which a million mappings get

  unsigned newest_bits() const { return table_.load(std::memory_order_acquire)->bits; }
  void grow(unsigned bits) {
    auto table = std::make_unique<Table>();
    table->bits = bits;
    table->slots = static_cast<Slot *>(pool_.take(table->bytes()));
    std::uninitialized_value_construct_n(table->slots, size_t{1} << bits);
    tables_.push_back(std::move(table));
    table_.store(tables_.back().get(), std::memory_order_release);
    if (tables_.size() > 1)
      BufferPool::empty(tables_[tables_.size() - 2]->slots, tables_[tables_.size() - 2]->bytes()); // a null is no guess
  }
  Slot &slot_of(HostPtr address) const {
    const Table &table = *table_.load(std::memory_order_acquire);
    // A product alone gives up to nine tenths of data at some distances to one another the slots of others. With this
    // shift and this factor, those of SplitMix64's last step, that was 21 % at most.
    const auto bits = static_cast<uint64_t>(address);
    return table.slots[static_cast<size_t>((bits ^ bits >> 15) * 0x94D049BB133111EBull >> (64 - table.bits))];
  }

  alignas(64) std::atomic<const Table *> table_{nullptr}; // beside nothing that inserting writes
  BufferPool pool_;                                       // large tables lie in huge pages
  std::vector<std::unique_ptr<Table>> tables_;            // by who grows
};

} // namespace omptarget
