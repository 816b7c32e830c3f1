// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/ordered_index.h"

#include <algorithm>

namespace omptarget {

namespace {

template <typename T> T read(const std::atomic<T> &cell) { return cell.load(std::memory_order_acquire); }
template <typename T> void write(std::atomic<T> &cell, T value) { cell.store(value, std::memory_order_release); }

/// Number of the first count keys that are not above the key.
uint32_t count_not_above(const std::atomic<uintptr_t> *keys, uint32_t count, uintptr_t key) {
  uint32_t first = 0;
  while (count > 0) {
    const uint32_t half = count / 2;
    const bool right = read(keys[first + half]) <= key;
    first = right ? first + half + 1 : first;
    count = right ? count - half - 1 : half;
  }
  return first;
}

template <typename T> void shift_right(std::atomic<T> *cells, uint32_t from, uint32_t end) {
  for (uint32_t i = end; i > from; --i)
    write(cells[i], cells[i - 1].load(std::memory_order_relaxed));
}

template <typename T> void shift_left(std::atomic<T> *cells, uint32_t to, uint32_t end) {
  for (uint32_t i = to; i + 1 < end; ++i)
    write(cells[i], cells[i + 1].load(std::memory_order_relaxed));
}

} // namespace

struct OrderedIndex::Leaf {
  std::atomic<uint32_t> count{0};
  std::atomic<uintptr_t> keys[kLeafCapacity] = {};
  std::atomic<Mapping *> values[kLeafCapacity] = {};
};

struct OrderedIndex::Directory {
  explicit Directory(uint32_t size)
      : capacity(size), first_keys(new std::atomic<uintptr_t>[size]()), leaves(new std::atomic<Leaf *>[size]()) {}
  const uint32_t capacity;
  std::atomic<uint32_t> count{0};
  // No key of a leaf is below its first key, or at or above the next leaf's; the first leaf's counts as the lowest.
  std::unique_ptr<std::atomic<uintptr_t>[]> first_keys;
  std::unique_ptr<std::atomic<Leaf *>[]> leaves;
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
  leaves_.push_back(std::make_unique<Leaf>());
  return leaves_.back().get();
}

uint32_t OrderedIndex::leaf_index(const Directory &directory, uintptr_t key) const {
  const uint32_t count = std::min(read(directory.count), directory.capacity);
  return count <= 1 ? 0 : count_not_above(directory.first_keys.get() + 1, count - 1, key);
}

OrderedIndex::Neighbours OrderedIndex::around(uintptr_t key) const {
  const Directory &directory = *read(directory_);
  const uint32_t index = leaf_index(directory, key);
  const Leaf &leaf = *read(directory.leaves[index]);
  const uint32_t count = std::min(read(leaf.count), kLeafCapacity);
  const uint32_t position = count_not_above(leaf.keys, count, key);
  Neighbours result{nullptr, nullptr};
  if (position > 0) {
    result.below = read(leaf.values[position - 1]);
  } else if (index > 0) {
    const Leaf &previous = *read(directory.leaves[index - 1]);
    const uint32_t previous_count = std::min(read(previous.count), kLeafCapacity);
    result.below = previous_count > 0 ? read(previous.values[previous_count - 1]) : nullptr;
  }
  if (position < count) {
    result.above = read(leaf.values[position]);
  } else if (index + 1 < std::min(read(directory.count), directory.capacity)) {
    const Leaf &next = *read(directory.leaves[index + 1]);
    result.above = read(next.count) > 0 ? read(next.values[0]) : nullptr;
  }
  return result;
}

void OrderedIndex::insert(uintptr_t key, Mapping *value) {
  Directory *directory = directory_.load(std::memory_order_relaxed);
  uint32_t index = leaf_index(*directory, key);
  if (directory->leaves[index].load(std::memory_order_relaxed)->count.load(std::memory_order_relaxed) ==
      kLeafCapacity) {
    split(index);
    directory = directory_.load(std::memory_order_relaxed);
    index = leaf_index(*directory, key);
  }
  Leaf &leaf = *directory->leaves[index].load(std::memory_order_relaxed);
  const uint32_t count = leaf.count.load(std::memory_order_relaxed);
  const uint32_t position = count_not_above(leaf.keys, count, key);
  shift_right(leaf.keys, position, count);
  shift_right(leaf.values, position, count);
  write(leaf.keys[position], key);
  write(leaf.values[position], value);
  write(leaf.count, count + 1);
  size_.fetch_add(1, std::memory_order_relaxed);
}

void OrderedIndex::erase(uintptr_t key) {
  Directory &directory = *directory_.load(std::memory_order_relaxed);
  const uint32_t index = leaf_index(directory, key);
  Leaf &leaf = *directory.leaves[index].load(std::memory_order_relaxed);
  const uint32_t count = leaf.count.load(std::memory_order_relaxed);
  const uint32_t position = count_not_above(leaf.keys, count, key) - 1;
  shift_left(leaf.keys, position, count);
  shift_left(leaf.values, position, count);
  write(leaf.count, count - 1);
  size_.fetch_sub(1, std::memory_order_relaxed);
  if (count == 1)
    remove_leaf(index);
  else
    merge_with_next(index);
}

void OrderedIndex::split(uint32_t index) {
  Leaf &full = *directory_.load(std::memory_order_relaxed)->leaves[index].load(std::memory_order_relaxed);
  Leaf *upper = new_leaf();
  // A run of ascending keys leaves full leaves behind instead of half empty ones.
  const bool is_last = index + 1 == directory_.load(std::memory_order_relaxed)->count.load(std::memory_order_relaxed);
  const uint32_t kept = is_last ? kLeafCapacity - kLeafCapacity / 8 : kLeafCapacity / 2;
  for (uint32_t i = kept; i < kLeafCapacity; ++i) {
    write(upper->keys[i - kept], full.keys[i].load(std::memory_order_relaxed));
    write(upper->values[i - kept], full.values[i].load(std::memory_order_relaxed));
  }
  write(upper->count, kLeafCapacity - kept);
  write(full.count, kept);
  add_to_directory(index + 1, upper->keys[0].load(std::memory_order_relaxed), upper);
}

void OrderedIndex::add_to_directory(uint32_t index, uintptr_t first_key, Leaf *leaf) {
  Directory *directory = directory_.load(std::memory_order_relaxed);
  const uint32_t count = directory->count.load(std::memory_order_relaxed);
  if (count == directory->capacity) {
    directories_.push_back(std::make_unique<Directory>(2 * directory->capacity));
    Directory *larger = directories_.back().get();
    for (uint32_t i = 0; i < count; ++i) {
      write(larger->first_keys[i], directory->first_keys[i].load(std::memory_order_relaxed));
      write(larger->leaves[i], directory->leaves[i].load(std::memory_order_relaxed));
    }
    write(larger->count, count);
    write(directory_, larger);
    directory = larger;
  }
  shift_right(directory->first_keys.get(), index, count);
  shift_right(directory->leaves.get(), index, count);
  write(directory->first_keys[index], first_key);
  write(directory->leaves[index], leaf);
  write(directory->count, count + 1);
}

void OrderedIndex::remove_leaf(uint32_t index) {
  Directory &directory = *directory_.load(std::memory_order_relaxed);
  const uint32_t count = directory.count.load(std::memory_order_relaxed);
  if (count == 1)
    return;
  free_leaves_.push_back(directory.leaves[index].load(std::memory_order_relaxed));
  shift_left(directory.first_keys.get(), index, count);
  shift_left(directory.leaves.get(), index, count);
  write(directory.count, count - 1);
}

void OrderedIndex::merge_with_next(uint32_t index) {
  Directory &directory = *directory_.load(std::memory_order_relaxed);
  if (index + 1 >= directory.count.load(std::memory_order_relaxed))
    return;
  Leaf &leaf = *directory.leaves[index].load(std::memory_order_relaxed);
  const Leaf &next = *directory.leaves[index + 1].load(std::memory_order_relaxed);
  const uint32_t count = leaf.count.load(std::memory_order_relaxed);
  const uint32_t more = next.count.load(std::memory_order_relaxed);
  if (count + more > kLeafCapacity / 2)
    return;
  for (uint32_t i = 0; i < more; ++i) {
    write(leaf.keys[count + i], next.keys[i].load(std::memory_order_relaxed));
    write(leaf.values[count + i], next.values[i].load(std::memory_order_relaxed));
  }
  write(leaf.count, count + more);
  remove_leaf(index + 1);
}

std::vector<Mapping *> OrderedIndex::values() const {
  std::vector<Mapping *> all;
  all.reserve(size());
  const Directory &directory = *directory_.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < directory.count.load(std::memory_order_relaxed); ++i) {
    const Leaf &leaf = *directory.leaves[i].load(std::memory_order_relaxed);
    for (uint32_t j = 0; j < leaf.count.load(std::memory_order_relaxed); ++j)
      all.push_back(leaf.values[j].load(std::memory_order_relaxed));
  }
  return all;
}

} // namespace omptarget
