// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/ordered_index.h"

#include <algorithm>

namespace omptarget {

namespace {

template <typename T> T read(const std::atomic<T> &cell) { return cell.load(std::memory_order_acquire); }
template <typename T> void write(std::atomic<T> &cell, T value) { cell.store(value, std::memory_order_release); }

/// Number of the first count keys that are not above the key. Compares with up to 16 keys a step that do not depend on one
/// another: the processor fetches them together.
template <typename Slot> uint32_t count_not_above(const Slot *slots, uint32_t count, uintptr_t key) {
  constexpr uint32_t kWays = 16;
  const auto count_every = [&](uint32_t first, uint32_t stride, uint32_t ways) {
    uint32_t not_above = 0;
    for (const Slot *slot = slots + first + stride - 1; ways-- > 0; slot += stride)
      not_above += read(slot->key) <= key;
    return not_above;
  };
  uint32_t first = 0;
  if (count > kWays) {
    uint32_t stride = kWays;
    while (stride * kWays < count)
      stride *= kWays;
    for (; stride > 1; stride /= kWays)
      first += stride * count_every(first, stride, std::min(kWays, (count - first) / stride));
  }
  return first + count_every(first, 1, std::min(kWays, count - first));
}

template <typename Slot> void assign(Slot &to, const Slot &from) {
  write(to.key, from.key.load(std::memory_order_relaxed));
  write(to.value, from.value.load(std::memory_order_relaxed));
}

template <typename Slot, typename T> void assign(Slot &to, uintptr_t key, T *value) {
  write(to.key, key);
  write(to.value, value);
}

/// Makes room at from among the slots before end.
template <typename Slot> void shift_right(Slot *slots, uint32_t from, uint32_t end) {
  for (uint32_t i = end; i > from; --i)
    assign(slots[i], slots[i - 1]);
}

/// Closes the gap at to.
template <typename Slot> void shift_left(Slot *slots, uint32_t to, uint32_t end) {
  for (uint32_t i = to; i + 1 < end; ++i)
    assign(slots[i], slots[i + 1]);
}

} // namespace

struct OrderedIndex::Directory {
  explicit Directory(uint32_t size) : capacity(size), leaves(new Slot<Leaf>[size]) {}
  const uint32_t capacity;
  std::atomic<uint32_t> count{0};
  // No key of a leaf is below its slot's key, or at or above the next slot's; the first leaf's counts as the lowest.
  std::unique_ptr<Slot<Leaf>[]> leaves;
};

OrderedIndex::OrderedIndex() {
  directories_.push_back(std::make_unique<Directory>(16));
  directory_.store(directories_.back().get(), std::memory_order_release);
  add_to_directory(0, 0, new_leaf());
}

OrderedIndex::~OrderedIndex() = default;

OrderedIndex::Leaf *OrderedIndex::new_leaf() {
  if (!free_leaves_.empty()) {
    Leaf *leaf = free_leaves_.back();
    free_leaves_.pop_back();
    write(leaf->count, 0u);
    return leaf;
  }
  return leaves_.make();
}

uint32_t OrderedIndex::leaf_index(const Directory &directory, uintptr_t key) const {
  const uint32_t count = std::min(read(directory.count), directory.capacity);
  return count <= 1 ? 0 : count_not_above(directory.leaves.get() + 1, count - 1, key);
}

OrderedIndex::Neighbours OrderedIndex::around(uintptr_t key) const {
  const Directory &directory = *read(directory_);
  const uint32_t index = leaf_index(directory, key);
  const Leaf &leaf = *read(directory.leaves[index].value);
  const uint32_t count = std::min(read(leaf.count), kLeafCapacity);
  const uint32_t position = count_not_above(leaf.slots, count, key);
  Neighbours result{nullptr, nullptr, 0, index, position};
  if (position > 0) {
    result.below = read(leaf.slots[position - 1].value);
  } else if (index > 0) {
    const Leaf &previous = *read(directory.leaves[index - 1].value);
    const uint32_t previous_count = std::min(read(previous.count), kLeafCapacity);
    result.below = previous_count > 0 ? read(previous.slots[previous_count - 1].value) : nullptr;
  }
  if (position < count) {
    result.above = read(leaf.slots[position].value);
    result.above_key = read(leaf.slots[position].key);
  } else if (index + 1 < std::min(read(directory.count), directory.capacity)) {
    const Leaf &next = *read(directory.leaves[index + 1].value);
    result.above = read(next.count) > 0 ? read(next.slots[0].value) : nullptr;
    result.above_key = read(next.slots[0].key);
  }
  return result;
}

void OrderedIndex::insert(uintptr_t key, Mapping *value) {
  Directory *directory = directory_.load(std::memory_order_relaxed);
  uint32_t index = leaf_index(*directory, key);
  if (directory->leaves[index].value.load(std::memory_order_relaxed)->count.load(std::memory_order_relaxed) ==
      kLeafCapacity) {
    split(index);
    directory = directory_.load(std::memory_order_relaxed);
    index = leaf_index(*directory, key);
  }
  Leaf &leaf = *directory->leaves[index].value.load(std::memory_order_relaxed);
  const uint32_t count = leaf.count.load(std::memory_order_relaxed);
  insert_into(leaf, count, count_not_above(leaf.slots, count, key), key, value);
}

void OrderedIndex::insert_at(const Neighbours &around, uintptr_t key, Mapping *value) {
  const Directory &directory = *directory_.load(std::memory_order_relaxed);
  Leaf &leaf = *directory.leaves[around.leaf].value.load(std::memory_order_relaxed);
  const uint32_t count = leaf.count.load(std::memory_order_relaxed);
  if (count == kLeafCapacity) [[unlikely]]
    return insert(key, value);
  insert_into(leaf, count, around.position, key, value);
}

void OrderedIndex::insert_into(Leaf &leaf, uint32_t count, uint32_t position, uintptr_t key, Mapping *value) {
  shift_right(leaf.slots, position, count);
  assign(leaf.slots[position], key, value);
  write(leaf.count, count + 1);
  size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void OrderedIndex::erase(uintptr_t key) {
  Directory &directory = *directory_.load(std::memory_order_relaxed);
  const uint32_t index = leaf_index(directory, key);
  Leaf &leaf = *directory.leaves[index].value.load(std::memory_order_relaxed);
  const uint32_t count = leaf.count.load(std::memory_order_relaxed);
  const uint32_t position = count_not_above(leaf.slots, count, key) - 1;
  shift_left(leaf.slots, position, count);
  write(leaf.count, count - 1);
  size_.store(size_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  if (count == 1)
    remove_leaf(index);
  if (!merge_with_next(index) && index > 0)
    merge_with_next(index - 1);
}

void OrderedIndex::split(uint32_t index) {
  Leaf &full = *directory_.load(std::memory_order_relaxed)->leaves[index].value.load(std::memory_order_relaxed);
  Leaf *upper = new_leaf();
  // A run of ascending keys leaves full leaves behind instead of half empty ones.
  const bool is_last = index + 1 == directory_.load(std::memory_order_relaxed)->count.load(std::memory_order_relaxed);
  const uint32_t kept = is_last ? kLeafCapacity - kLeafCapacity / 8 : kLeafCapacity / 2;
  for (uint32_t i = kept; i < kLeafCapacity; ++i)
    assign(upper->slots[i - kept], full.slots[i]);
  write(upper->count, kLeafCapacity - kept);
  write(full.count, kept);
  add_to_directory(index + 1, upper->slots[0].key.load(std::memory_order_relaxed), upper);
}

void OrderedIndex::add_to_directory(uint32_t index, uintptr_t first_key, Leaf *leaf) {
  Directory *directory = directory_.load(std::memory_order_relaxed);
  const uint32_t count = directory->count.load(std::memory_order_relaxed);
  if (count == directory->capacity) {
    directories_.push_back(std::make_unique<Directory>(2 * directory->capacity));
    Directory *larger = directories_.back().get();
    for (uint32_t i = 0; i < count; ++i)
      assign(larger->leaves[i], directory->leaves[i]);
    write(larger->count, count);
    write(directory_, larger);
    directory = larger;
  }
  shift_right(directory->leaves.get(), index, count);
  assign(directory->leaves[index], first_key, leaf);
  write(directory->count, count + 1);
}

void OrderedIndex::remove_leaf(uint32_t index) {
  Directory &directory = *directory_.load(std::memory_order_relaxed);
  const uint32_t count = directory.count.load(std::memory_order_relaxed);
  if (count == 1)
    return;
  free_leaves_.push_back(directory.leaves[index].value.load(std::memory_order_relaxed));
  shift_left(directory.leaves.get(), index, count);
  write(directory.count, count - 1);
}

bool OrderedIndex::merge_with_next(uint32_t index) {
  Directory &directory = *directory_.load(std::memory_order_relaxed);
  if (index + 1 >= directory.count.load(std::memory_order_relaxed))
    return false;
  Leaf &leaf = *directory.leaves[index].value.load(std::memory_order_relaxed);
  const Leaf &next = *directory.leaves[index + 1].value.load(std::memory_order_relaxed);
  const uint32_t count = leaf.count.load(std::memory_order_relaxed);
  const uint32_t more = next.count.load(std::memory_order_relaxed);
  if (count + more > kLeafCapacity / 2)
    return false;
  for (uint32_t i = 0; i < more; ++i)
    assign(leaf.slots[count + i], next.slots[i]);
  write(leaf.count, count + more);
  remove_leaf(index + 1);
  return true;
}

size_t OrderedIndex::leaf_count() const {
  return directory_.load(std::memory_order_relaxed)->count.load(std::memory_order_relaxed);
}

std::vector<Mapping *> OrderedIndex::values() const {
  std::vector<Mapping *> all;
  all.reserve(size());
  const Directory &directory = *directory_.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < directory.count.load(std::memory_order_relaxed); ++i) {
    const Leaf &leaf = *directory.leaves[i].value.load(std::memory_order_relaxed);
    for (uint32_t j = 0; j < leaf.count.load(std::memory_order_relaxed); ++j)
      all.push_back(leaf.slots[j].value.load(std::memory_order_relaxed));
  }
  return all;
}

std::string OrderedIndex::fault() const {
  const Directory &directory = *directory_.load(std::memory_order_relaxed);
  const uint32_t count = directory.count.load(std::memory_order_relaxed);
  if (version_.load(std::memory_order_relaxed) & 1)
    return "the index says that it is being changed";
  if (count == 0 || count > directory.capacity)
    return "the directory counts " + std::to_string(count) + " leaves of at most " + std::to_string(directory.capacity);
  size_t keys = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Leaf &leaf = *directory.leaves[i].value.load(std::memory_order_relaxed);
    const uintptr_t lowest = i == 0 ? 0 : directory.leaves[i].key.load(std::memory_order_relaxed);
    const uintptr_t limit = i + 1 == count ? UINTPTR_MAX : directory.leaves[i + 1].key.load(std::memory_order_relaxed);
    if (std::string fault = leaf_fault(leaf, lowest, limit); !fault.empty())
      return fault;
    keys += leaf.count.load(std::memory_order_relaxed);
  }
  if (keys != size())
    return "the index counts " + std::to_string(size()) + " keys and has " + std::to_string(keys);
  return {};
}

} // namespace omptarget
