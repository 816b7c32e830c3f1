// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/ordered_index.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace omptarget {

namespace {

template <typename T> T read(const std::atomic<T> &cell) { return cell.load(std::memory_order_acquire); }
template <typename T> void write(std::atomic<T> &cell, T value) { cell.store(value, std::memory_order_release); }

/// Number of the first count keys that are not above the key. Compares with up to 16 keys a step that do not depend
/// on one another: the processor fetches them together.
template <typename Slot> uint32_t count_not_above(const Slot *slots, uint32_t count, uintptr_t key) {
  constexpr uint32_t kWays = 16, kParts = kWays + 1; // no power of two, whose lines would share a set of the cache
  const auto count_every = [&](uint32_t first, uint32_t stride, uint32_t ways) {
    uint32_t not_above = 0;
    for (const Slot *slot = slots + first + stride - 1; ways-- > 0; slot += stride)
      not_above += read(slot->key) <= key;
    return not_above;
  };
  uint32_t first = 0;
  if (count > kWays) {
    uint32_t stride = kParts;
    while (stride * kParts <= count)
      stride *= kParts;
    for (; stride > 1; stride /= kParts)
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
  for (uint32_t i = 0; i < kStripes; ++i)
    stripes_[i].number = i;
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
  Leaf *const leaf = leaves_.make();
  leaf->stripe = &stripes_[leaves_made_++ % kStripes];
  return leaf;
}

uint32_t OrderedIndex::leaf_index(const Directory &directory, uintptr_t key) const {
  const uint32_t count = std::min(read(directory.count), directory.capacity);
  return count <= 1 ? 0 : count_not_above(directory.leaves.get() + 1, count - 1, key);
}

/// note tells the stripe of a leaf that is going to be read.
template <typename Note>
inline void OrderedIndex::look_into_leaf(const Directory &directory, uint32_t index, uintptr_t key, Neighbours &result,
                                         Note note) const {
  const Leaf &leaf = *result.leaf;
  const uint32_t count = std::min(read(leaf.count), kLeafCapacity);
  const uint32_t position = count_not_above(leaf.slots, count, key);
  result.position = position;
  result.below = result.above = nullptr;
  if (position > 0) {
    result.below = read(leaf.slots[position - 1].value);
  } else if (index > 0) {
    const Leaf &previous = *read(directory.leaves[index - 1].value);
    result.other = note(previous);
    const uint32_t previous_count = std::min(read(previous.count), kLeafCapacity);
    result.below = previous_count > 0 ? read(previous.slots[previous_count - 1].value) : nullptr;
  }
  if (position < count) {
    result.above = read(leaf.slots[position].value);
    result.above_key = read(leaf.slots[position].key);
  } else if (index + 1 < std::min(read(directory.count), directory.capacity)) {
    const Leaf &next = *read(directory.leaves[index + 1].value);
    result.other = note(next);
    result.above = read(next.count) > 0 ? read(next.slots[0].value) : nullptr;
    result.above_key = read(next.slots[0].key);
  } else {
    result.above_key = UINTPTR_MAX;
  }
}

/// All lines at once: what reads and moves keys would wait for one after the other.
inline void OrderedIndex::fetch(const Leaf &leaf) {
  constexpr size_t kLine = 64;
  const auto *const bytes = reinterpret_cast<const char *>(&leaf);
  for (size_t i = 0; i < sizeof(Leaf); i += kLine)
    __builtin_prefetch(bytes + i);
}

uint32_t OrderedIndex::fetch(uintptr_t key) const {
  const Directory &directory = *read(directory_);
  const uint32_t index = leaf_index(directory, key);
  fetch(*read(directory.leaves[index].value));
  return index;
}

/// A directory that is the same after the leaf's stripe was noted is the one of that version of the stripe: who
/// changes a directory holds all stripes. No leaf is empty, but that of an empty index, so that no more than two
/// leaves are looked at.
template <bool kFetches> inline void OrderedIndex::look_at(uintptr_t key, Neighbours &around) const {
  const auto note = [](const Leaf &leaf) { return Noted{leaf.stripe, leaf.stripe->lock.version()}; };
  for (;;) {
    const uint32_t version = directory_lock_.version();
    const Directory &directory = *read(directory_);
    const uint32_t index = leaf_index(directory, key);
    around.leaf = read(directory.leaves[index].value);
    if constexpr (kFetches)
      fetch(*around.leaf);
    around.own = around.other = note(*around.leaf);
    if (!directory_lock_.is_still(version)) [[unlikely]]
      continue;
    return look_into_leaf(directory, index, key, around, note);
  }
}

void OrderedIndex::look(uintptr_t key, Neighbours &around) const { look_at<true>(key, around); }

OrderedIndex::Neighbours OrderedIndex::around(uintptr_t key) const {
  Neighbours result;
  look_at<false>(key, result);
  return result;
}

void OrderedIndex::Looks::add(Noted noted) {
  Noted &known = noted_[noted.stripe->number];
  is_changed_ = is_changed_ || (known.stripe && known.version != noted.version);
  known = noted;
}

void OrderedIndex::Looks::add(const Neighbours &around) {
  add(around.own);
  add(around.other);
}

bool OrderedIndex::Looks::are_current() const {
  return !is_changed_ &&
         std::all_of(noted_.begin(), noted_.end(), [](Noted noted) { return !noted.stripe || is_current(noted); });
}

/// The stripes are held that were noted, but have changed since. If they are others than those that the key needs
/// now, gives them back.
[[gnu::cold, gnu::noinline]] bool OrderedIndex::look_again(uintptr_t key, Neighbours &around) {
  const Directory &directory = *read(directory_); // stays, with a stripe held
  const uint32_t index = leaf_index(directory, key);
  const auto without_waiting = [](const Leaf &leaf) { return Noted{leaf.stripe, 0}; };
  Neighbours now;
  now.leaf = read(directory.leaves[index].value);
  now.own = now.other = without_waiting(*now.leaf);
  look_into_leaf(directory, index, key, now, without_waiting);
  const auto is_held = [&](Noted noted) {
    return noted.stripe == around.own.stripe || noted.stripe == around.other.stripe;
  };
  if (!is_held(now.own) || !is_held(now.other)) {
    unlock_around(around, false);
    return false;
  }
  now.own = around.own; // the stripes that are held
  now.other = around.other;
  around = now;
  return true;
}

void OrderedIndex::insert_at(const Neighbours &around, uintptr_t key, Mapping *value) {
  Leaf &leaf = *around.leaf;
  const uint32_t count = leaf.count.load(std::memory_order_relaxed);
  shift_right(leaf.slots, around.position, count);
  assign(leaf.slots[around.position], key, value);
  write(leaf.count, count + 1);
  std::atomic<size_t> &keys = leaf.stripe->keys;
  keys.store(keys.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

inline OrderedIndex::Leaf *OrderedIndex::leaf_at(uint32_t index) const {
  return read(read(directory_)->leaves[index].value);
}

/// Returns whether leaf_index would find it.
inline bool OrderedIndex::is_leaf_of(const Directory &directory, uint32_t index, uintptr_t key) {
  const uint32_t count = std::min(read(directory.count), directory.capacity);
  return index < count && (index == 0 || read(directory.leaves[index].key) <= key) &&
         (index + 1 == count || key < read(directory.leaves[index + 1].key));
}

/// Takes the stripe of the key's leaf; returns its number in the directory, which stays.
inline uint32_t OrderedIndex::lock_leaf_of(uintptr_t key, uint32_t likely) {
  for (;;) {
    const uint32_t version = directory_lock_.version();
    const Directory &directory = *read(directory_);
    const uint32_t index = is_leaf_of(directory, likely, key) ? likely : leaf_index(directory, key);
    const Leaf &leaf = *leaf_at(index);
    fetch(leaf);
    VersionedLock &lock = leaf.stripe->lock;
    lock.lock();
    if (directory_lock_.is_still(version)) [[likely]]
      return index;
    lock.unlock_unchanged();
  }
}

OrderedIndex::Holder::Holder(OrderedIndex &index, uintptr_t key, uint32_t likely_leaf)
    : index_(index), key_(key), number_(index.lock_leaf_of(key, likely_leaf)) {
  leaf_ = index_.leaf_at(number_);
  if (leaf_->count.load(std::memory_order_relaxed) != 1 || index_.leaf_count() == 1) [[likely]]
    return;
  leaf_->stripe->lock.unlock_unchanged();
  index_.lock();
  is_everything_ = true;
  number_ = index_.leaf_index(*read(index_.directory_), key_);
  leaf_ = index_.leaf_at(number_);
}

void OrderedIndex::Holder::erase() {
  const uint32_t count = leaf_->count.load(std::memory_order_relaxed);
  shift_left(leaf_->slots, count_not_above(leaf_->slots, count, key_) - 1, count);
  write(leaf_->count, count - 1);
  std::atomic<size_t> &keys = leaf_->stripe->keys;
  keys.store(keys.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  is_changed_ = true;
}

OrderedIndex::Holder::~Holder() {
  VersionedLock &lock = leaf_->stripe->lock;
  if (is_everything_) {
    index_.tidy(key_);
    index_.unlock();
  } else if (!is_changed_) {
    lock.unlock_unchanged();
  } else {
    const bool may_merge = index_.may_merge(number_);
    lock.unlock();
    if (may_merge) [[unlikely]]
      index_.merge(key_);
  }
}

/// A guess: others change the leaves beside.
inline bool OrderedIndex::may_merge(uint32_t index) const {
  const Directory &directory = *directory_.load(std::memory_order_relaxed);
  const auto count_of = [&](uint32_t number) {
    return directory.leaves[number].value.load(std::memory_order_relaxed)->count.load(std::memory_order_relaxed);
  };
  const uint32_t own = count_of(index);
  if (own > kLeafCapacity / 2)
    return false;
  const auto fits_with = [&](uint32_t number) { return own + count_of(number) <= kLeafCapacity / 2; };
  return (index > 0 && fits_with(index - 1)) ||
         (index + 1 < directory.count.load(std::memory_order_relaxed) && fits_with(index + 1));
}

[[gnu::cold, gnu::noinline]] void OrderedIndex::merge(uintptr_t key) {
  const std::lock_guard everything(*this);
  tidy(key);
}

/// A key was erased: everything is held.
void OrderedIndex::tidy(uintptr_t key) {
  const uint32_t index = leaf_index(*directory_.load(std::memory_order_relaxed), key);
  if (leaf_at(index)->count.load(std::memory_order_relaxed) == 0)
    remove_leaf(index);
  if (!merge_with_next(index) && index > 0)
    merge_with_next(index - 1);
}

void OrderedIndex::lock() {
  for (Stripe &stripe : stripes_)
    stripe.lock.lock();
}

void OrderedIndex::unlock() {
  for (Stripe &stripe : stripes_)
    stripe.lock.unlock();
}

void OrderedIndex::split(uintptr_t key) {
  const uint32_t index = leaf_index(*directory_.load(std::memory_order_relaxed), key);
  Leaf &full = *leaf_at(index);
  if (full.count.load(std::memory_order_relaxed) != kLeafCapacity)
    return; // another thread has split it
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
  const std::lock_guard changes(directory_lock_);
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
  const std::lock_guard changes(directory_lock_);
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

size_t OrderedIndex::size() const {
  size_t keys = 0;
  for (const Stripe &stripe : stripes_)
    keys += stripe.keys.load(std::memory_order_relaxed);
  return keys;
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

std::vector<OrderedIndex::FreeMappings> OrderedIndex::free_lists() const {
  std::vector<FreeMappings> lists;
  for (const Stripe &stripe : stripes_)
    lists.push_back(stripe.free);
  return lists;
}

std::string OrderedIndex::fault() const {
  const Directory &directory = *directory_.load(std::memory_order_relaxed);
  const uint32_t count = directory.count.load(std::memory_order_relaxed);
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
