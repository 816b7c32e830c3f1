// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash table from addresses to pointers, read without a lock.
//
// Open addressing; a new table replaces a full one, and the old ones are kept, so a slow reader never reads freed
// memory. Slots of removed keys are used again, and emptied where no probing passes them, so that keys that come and
// go do not fill tables.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/sched_point.h"

namespace omptarget {

/// Reading: any thread. Writing: one thread at a time, the owner's lock held.
template <typename T> class PointerTable {
public:
  PointerTable() { grow(16); }
  PointerTable(const PointerTable &) = delete;
  PointerTable &operator=(const PointerTable &) = delete;

  /// The value, or null. Keys 0 and 1 are never there.
  T *find(uintptr_t key) const {
    const Slots &slots = *current_.load(OMPTARGET_ORDER("table_current_relaxed", std::memory_order_acquire));
    for (size_t i = hash(key);; ++i) {
      const Slot &slot = slots.slots[i & slots.mask];
      const uintptr_t found = slot.key.load(std::memory_order_acquire);
      if (found == key) [[likely]] {
        T *const value = slot.value.load(OMPTARGET_ORDER("table_value_relaxed", std::memory_order_acquire));
        // The slot may have become another key's in between; then this key was removed.
        const bool is_same = slot.key.load(std::memory_order_relaxed) == key;
        return is_same || OMPTARGET_PLANTED("table_key_unchecked") ? value : nullptr;
      }
      if (found == kEmpty)
        return nullptr;
    }
  }

  /// Adds or replaces. The key must not be 0 or 1.
  void insert(uintptr_t key, T *value) {
    if (Slot *slot = slot_of(key)) {
      slot->value.store(value, std::memory_order_release);
      return;
    }
    if (4 * (used_ + 1) > 3 * (current_.load(std::memory_order_relaxed)->mask + 1))
      grow(2 * (live_ + 1) > used_ ? 2 * (current_.load(std::memory_order_relaxed)->mask + 1)
                                   : current_.load(std::memory_order_relaxed)->mask + 1);
    put(*current_.load(std::memory_order_relaxed), key, value);
    ++live_;
  }

  void erase(uintptr_t key) {
    Slot *slot = slot_of(key);
    if (!slot)
      return;
    slot->value.store(nullptr, std::memory_order_release);
    slot->key.store(kRemoved, std::memory_order_release);
    --live_;
    empty_unneeded(static_cast<size_t>(slot - current_.load(std::memory_order_relaxed)->slots.get()));
  }

  size_t size() const { return live_; }

private:
  static constexpr uintptr_t kEmpty = 0;
  static constexpr uintptr_t kRemoved = 1;
  struct Slot {
    std::atomic<uintptr_t> key{kEmpty};
    std::atomic<T *> value{nullptr};
  };
  struct Slots {
    explicit Slots(size_t count) : mask(count - 1), slots(new Slot[count]) {}
    size_t mask;
    std::unique_ptr<Slot[]> slots;
  };

  static size_t hash(uintptr_t key) { return static_cast<size_t>((key * 0x9E3779B97F4A7C15ull) >> 32); }

  Slot *slot_of(uintptr_t key) {
    const Slots &slots = *current_.load(std::memory_order_relaxed);
    for (size_t i = hash(key);; ++i) {
      Slot &slot = slots.slots[i & slots.mask];
      const uintptr_t found = slot.key.load(std::memory_order_relaxed);
      if (found == key)
        return &slot;
      if (found == kEmpty)
        return nullptr;
    }
  }

  /// Removed slots that precede an empty one are needed by no probing.
  void empty_unneeded(size_t index) {
    const Slots &slots = *current_.load(std::memory_order_relaxed);
    if (slots.slots[(index + 1) & slots.mask].key.load(std::memory_order_relaxed) != kEmpty)
      return;
    for (; slots.slots[index].key.load(std::memory_order_relaxed) == kRemoved; index = (index - 1) & slots.mask) {
      slots.slots[index].key.store(kEmpty, std::memory_order_release);
      --used_;
    }
  }

  void put(const Slots &slots, uintptr_t key, T *value) {
    for (size_t i = hash(key);; ++i) {
      Slot &slot = slots.slots[i & slots.mask];
      const uintptr_t found = slot.key.load(std::memory_order_relaxed);
      if (found != kEmpty && found != kRemoved)
        continue;
      used_ += found == kEmpty ? 1 : 0;
      // The key first: a reader that finds it without its value gets null, as if it had come earlier.
      slot.key.store(key, std::memory_order_release);
      slot.value.store(value, std::memory_order_release);
      return;
    }
  }

  void grow(size_t count) {
    const Slots *old = current_.load(std::memory_order_relaxed);
    all_.push_back(std::make_unique<Slots>(count));
    used_ = 0;
    for (size_t i = 0; old && i <= old->mask; ++i) {
      const uintptr_t key = old->slots[i].key.load(std::memory_order_relaxed);
      if (key != kEmpty && key != kRemoved)
        put(*all_.back(), key, old->slots[i].value.load(std::memory_order_relaxed));
    }
    current_.store(all_.back().get(), OMPTARGET_ORDER("table_grown_relaxed", std::memory_order_release));
  }

  std::atomic<const Slots *> current_{nullptr};
  std::vector<std::unique_ptr<Slots>> all_;
  size_t used_ = 0; // slots that are not empty
  size_t live_ = 0;
};

} // namespace omptarget
