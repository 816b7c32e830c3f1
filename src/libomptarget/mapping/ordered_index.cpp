// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/ordered_index.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/sched_point.h"

namespace omptarget {

namespace {

template <typename T> T read(const std::atomic<T> &cell) {
  return cell.load(OMPTARGET_ORDER("index_read_relaxed", std::memory_order_acquire));
}
template <typename T> void write(std::atomic<T> &cell, T value) {
  cell.store(value, OMPTARGET_ORDER("index_write_relaxed", std::memory_order_release));
}

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

/// To an array that holds none of them, or to its front.
template <typename Slot, typename View> void move_to(Slot *slots, View from) {
  for (uint32_t i = 0; i < from.count; ++i)
    assign(slots[i], from.slots[i]);
}

/// Moves count slots by one, to the right or to the left.
template <typename Slot> void move_right(Slot *slots, uint32_t count) {
  for (Slot *slot = slots + count; slot != slots; --slot)
    assign(slot[0], slot[-1]);
}
template <typename Slot> void move_left(Slot *slots, uint32_t count) {
  for (Slot *const end = slots + count; slots != end; ++slots)
    assign(slots[-1], slots[0]);
}

} // namespace

template <typename T>
void OrderedIndex::insert(Slot<T> *slots, std::atomic<Used> &used, uint32_t capacity, uint32_t position, uintptr_t key,
                          T *value) {
  Used now = used.load(std::memory_order_relaxed);
  const bool is_behind = position > now.count / 2;
  if (is_behind && now.first + now.count == capacity) { // room for this one and those to come
    move_to(slots, View<T>{slots + now.first, now.count});
    now.first = 0;
  }
  if (is_behind || now.first == 0)
    move_right(slots + now.first + position, now.count - position);
  else
    move_left(slots + now.first--, position);
  assign(slots[now.first + position], key, value);
  write(used, Used{now.first, now.count + 1});
}

template <typename T> void OrderedIndex::erase(Slot<T> *slots, std::atomic<Used> &used, uint32_t position) {
  Used now = used.load(std::memory_order_relaxed);
  if (position < now.count / 2) {
    move_right(slots + now.first, position);
    ++now.first;
  } else {
    move_left(slots + now.first + position + 1, now.count - position - 1);
  }
  write(used, Used{now.first, now.count - 1});
}

struct OrderedIndex::Directory {
  explicit Directory(uint32_t size) : capacity(size), slots(new Slot<Leaf>[size]) {}
  const uint32_t capacity;
  std::atomic<Used> used{};
  // No key of a leaf is below its slot's key, or at or above the next slot's; the first leaf's counts as the lowest.
  std::unique_ptr<Slot<Leaf>[]> slots;
  View<Leaf> view() const { return OrderedIndex::view(slots.get(), used); }
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
    write(leaf->used, Used{});
    return leaf;
  }
  Leaf *const leaf = leaves_.make();
  leaf->stripe = &stripes_[leaves_made_++ % kStripes];
  return leaf;
}

inline OrderedIndex::View<OrderedIndex::Leaf> OrderedIndex::leaves() const { return read(directory_)->view(); }

uint32_t OrderedIndex::leaf_index(View<Leaf> leaves, uintptr_t key) {
  return leaves.count <= 1 ? 0 : count_not_above(leaves.slots + 1, leaves.count - 1, key);
}

/// note tells the stripe of a leaf that is going to be read.
template <typename Note>
inline void OrderedIndex::look_into_leaf(View<Leaf> leaves, uint32_t index, uintptr_t key, Neighbours &result,
                                         Note note) {
  const View<Mapping> own = result.leaf->view();
  const uint32_t position = count_not_above(own.slots, own.count, key);
  result.position = position;
  result.below = result.above = nullptr;
  if (position > 0) {
    result.below = read(own.slots[position - 1].value);
  } else if (index > 0) {
    const Leaf &previous = *read(leaves.slots[index - 1].value);
    if (!OMPTARGET_PLANTED("index_beside_unnoted"))
      result.other = note(previous);
    const View<Mapping> keys = previous.view();
    result.below = keys.count > 0 ? read(keys.slots[keys.count - 1].value) : nullptr;
  }
  if (position < own.count) {
    result.above = read(own.slots[position].value);
    result.above_key = read(own.slots[position].key);
  } else if (index + 1 < leaves.count) {
    const Leaf &next = *read(leaves.slots[index + 1].value);
    if (!OMPTARGET_PLANTED("index_beside_unlocked"))
      result.other = note(next);
    const View<Mapping> keys = next.view();
    result.above = keys.count > 0 ? read(keys.slots[0].value) : nullptr;
    result.above_key = keys.count > 0 ? read(keys.slots[0].key) : UINTPTR_MAX;
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
  const View<Leaf> leaves = this->leaves();
  const uint32_t index = leaf_index(leaves, key);
  fetch(*read(leaves.slots[index].value));
  return index;
}

Mapping *OrderedIndex::first_of(uint32_t leaf, uintptr_t key) const {
  const View<Leaf> leaves = this->leaves();
  const View<Mapping> keys = leaf < leaves.count ? read(leaves.slots[leaf].value)->view() : View<Mapping>{};
  return keys.count > 0 && read(keys.slots[0].key) == key ? read(keys.slots[0].value) : nullptr;
}

/// A directory that is the same after the leaf's stripe was noted is the one of that version of the stripe: who
/// changes a directory holds all stripes. No leaf is empty, but that of an empty index, so that no more than two
/// leaves are looked at.
template <bool kFetches> inline void OrderedIndex::look_at(uintptr_t key, Neighbours &around) const {
  const auto note = [](const Leaf &leaf) { return Noted{leaf.stripe, leaf.stripe->lock.version()}; };
  for (;;) {
    const uint32_t version = directory_lock_.version();
    const View<Leaf> leaves = this->leaves();
    const uint32_t index = leaf_index(leaves, key);
    around.leaf = read(leaves.slots[index].value);
    if constexpr (kFetches)
      fetch(*around.leaf);
    around.own = around.other = note(*around.leaf);
    if (!directory_lock_.is_still(version) && !OMPTARGET_PLANTED("index_directory_unchecked"))
      continue;
    return look_into_leaf(leaves, index, key, around, note);
  }
}

void OrderedIndex::look(uintptr_t key, Neighbours &around) const { look_at<true>(key, around); }

OrderedIndex::Neighbours OrderedIndex::around(uintptr_t key) const {
  Neighbours result;
  look_at<false>(key, result);
  return result;
}

void OrderedIndex::ReadSet::add(Noted noted) {
  Noted &known = noted_[noted.stripe->number];
  is_changed_ = is_changed_ || (known.stripe && known.version != noted.version);
  known = noted;
}

void OrderedIndex::ReadSet::add(const Neighbours &around) {
  add(around.own);
  add(around.other);
}

bool OrderedIndex::ReadSet::are_current() const {
  return !is_changed_ &&
         std::all_of(noted_.begin(), noted_.end(), [](Noted noted) { return !noted.stripe || is_current(noted); });
}

/// The stripes are held that were noted, but have changed since. If they are others than those that the key needs
/// now, gives them back.
bool OrderedIndex::look_again(uintptr_t key, Neighbours &around) {
  const View<Leaf> leaves = this->leaves(); // stays, with a stripe held
  const uint32_t index = leaf_index(leaves, key);
  const auto without_waiting = [](const Leaf &leaf) { return Noted{leaf.stripe, 0}; };
  Neighbours now;
  now.leaf = read(leaves.slots[index].value);
  now.own = now.other = without_waiting(*now.leaf);
  look_into_leaf(leaves, index, key, now, without_waiting);
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
  insert(leaf.slots, leaf.used, kLeafCapacity, around.position, key, value);
  std::atomic<size_t> &keys = leaf.stripe->keys;
  keys.store(keys.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Returns whether leaf_index would find it.
inline bool OrderedIndex::is_leaf_of(View<Leaf> leaves, uint32_t index, uintptr_t key) {
  return index < leaves.count && (index == 0 || read(leaves.slots[index].key) <= key) &&
         (index + 1 == leaves.count || key < read(leaves.slots[index + 1].key));
}

/// Takes the stripe of the key's leaf; returns its number in the directory, which stays.
inline uint32_t OrderedIndex::lock_leaf_of(uintptr_t key, uint32_t likely) {
  for (;;) {
    const uint32_t version = directory_lock_.version();
    const View<Leaf> leaves = this->leaves();
    const uint32_t index = is_leaf_of(leaves, likely, key) ? likely : leaf_index(leaves, key);
    const Leaf &leaf = *read(leaves.slots[index].value);
    VersionedLock &lock = leaf.stripe->lock;
    lock.lock();
    if (directory_lock_.is_still(version) || OMPTARGET_PLANTED("index_held_leaf_unchecked"))
      return index;
    lock.unlock_unchanged();
  }
}

OrderedIndex::Holder::Holder(OrderedIndex &index, uintptr_t key, uint32_t likely_leaf)
    : index_(index), key_(key), number_(index.lock_leaf_of(key, likely_leaf)) {
  leaf_ = read(index_.leaves().slots[number_].value);
  if (leaf_->count() != 1 || index_.leaf_count() == 1 || OMPTARGET_PLANTED("index_leaf_emptied"))
    return;
  leaf_->stripe->lock.unlock_unchanged();
  index_.lock();
  is_everything_ = true;
  number_ = leaf_index(index_.leaves(), key_);
  leaf_ = read(index_.leaves().slots[number_].value);
}

void OrderedIndex::Holder::erase() {
  const View<Mapping> own = leaf_->view();
  const bool is_first = read(own.slots[0].key) == key_; // as in tables that are torn down in the order of their making
  const uint32_t position = is_first ? 0 : count_not_above(own.slots, own.count, key_) - 1;
  OrderedIndex::erase(leaf_->slots, leaf_->used, position);
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
    if (may_merge)
      index_.merge(key_);
  }
}

/// A guess: others change the leaves beside.
inline bool OrderedIndex::may_merge(uint32_t index) const {
  const View<Leaf> leaves = this->leaves();
  const auto count_of = [&](uint32_t number) { return read(leaves.slots[number].value)->count(); };
  const uint32_t own = count_of(index);
  if (own > kLeafCapacity / 2)
    return false;
  const auto fits_with = [&](uint32_t number) { return own + count_of(number) <= kLeafCapacity / 2; };
  return (index > 0 && fits_with(index - 1)) || (index + 1 < leaves.count && fits_with(index + 1));
}

void OrderedIndex::merge(uintptr_t key) {
  const std::lock_guard everything(*this);
  tidy(key);
}

/// A key was erased: everything is held.
void OrderedIndex::tidy(uintptr_t key) {
  const uint32_t index = leaf_index(leaves(), key);
  if (read(leaves().slots[index].value)->count() == 0)
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
  const View<Leaf> leaves = this->leaves();
  const uint32_t index = leaf_index(leaves, key);
  Leaf &full = *read(leaves.slots[index].value);
  if (full.count() != kLeafCapacity)
    return; // another thread has split it
  Leaf *upper = new_leaf();
  // A run of ascending keys leaves full leaves behind instead of half empty ones.
  const bool is_last = index + 1 == leaves.count;
  const uint32_t kept = is_last ? kLeafCapacity - kLeafCapacity / 8 : kLeafCapacity / 2;
  move_to(upper->slots, View<Mapping>{full.slots + kept, kLeafCapacity - kept});
  write(upper->used, Used{0, kLeafCapacity - kept});
  write(full.used, Used{0, kept});
  add_to_directory(index + 1, upper->slots[0].key.load(std::memory_order_relaxed), upper);
}

void OrderedIndex::add_to_directory(uint32_t index, uintptr_t first_key, Leaf *leaf) {
  const std::lock_guard changes(directory_lock_);
  Directory *directory = directory_.load(std::memory_order_relaxed);
  const View<Leaf> leaves = directory->view();
  if (leaves.count == directory->capacity) {
    directories_.push_back(std::make_unique<Directory>(2 * directory->capacity));
    Directory *larger = directories_.back().get();
    move_to(larger->slots.get(), leaves);
    write(larger->used, Used{0, leaves.count});
    write(directory_, larger);
    directory = larger;
  }
  insert(directory->slots.get(), directory->used, directory->capacity, index, first_key, leaf);
}

void OrderedIndex::remove_leaf(uint32_t index) {
  Directory &directory = *directory_.load(std::memory_order_relaxed);
  if (leaf_count() == 1)
    return;
  const std::lock_guard changes(directory_lock_);
  free_leaves_.push_back(read(directory.view().slots[index].value));
  erase(directory.slots.get(), directory.used, index);
}

bool OrderedIndex::merge_with_next(uint32_t index) {
  const View<Leaf> leaves = this->leaves();
  if (index + 1 >= leaves.count)
    return false;
  Leaf &leaf = *read(leaves.slots[index].value);
  const View<Mapping> own = leaf.view(), next = read(leaves.slots[index + 1].value)->view();
  if (own.count + next.count > kLeafCapacity / 2)
    return false;
  move_to(leaf.slots, own);
  move_to(leaf.slots + own.count, next);
  write(leaf.used, Used{0, own.count + next.count});
  remove_leaf(index + 1);
  return true;
}

size_t OrderedIndex::size() const {
  size_t keys = 0;
  for (const Stripe &stripe : stripes_)
    keys += stripe.keys.load(std::memory_order_relaxed);
  return keys;
}

size_t OrderedIndex::leaf_count() const { return leaves().count; }

std::vector<Mapping *> OrderedIndex::values() const {
  std::vector<Mapping *> all;
  all.reserve(size());
  const View<Leaf> leaves = this->leaves();
  for (uint32_t i = 0; i < leaves.count; ++i) {
    const View<Mapping> keys = read(leaves.slots[i].value)->view();
    for (uint32_t j = 0; j < keys.count; ++j)
      all.push_back(read(keys.slots[j].value));
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
  const Used used = directory.used.load(std::memory_order_relaxed);
  if (used.count == 0 || used.first + used.count > directory.capacity)
    return "the directory counts " + std::to_string(used.count) + " leaves from " + std::to_string(used.first) +
           " of at most " + std::to_string(directory.capacity);
  const View<Leaf> leaves = directory.view();
  size_t keys = 0;
  for (uint32_t i = 0; i < leaves.count; ++i) {
    const Leaf &leaf = *read(leaves.slots[i].value);
    const uintptr_t lowest = i == 0 ? 0 : leaves.slots[i].key.load(std::memory_order_relaxed);
    const uintptr_t limit =
        i + 1 == leaves.count ? UINTPTR_MAX : leaves.slots[i + 1].key.load(std::memory_order_relaxed);
    if (std::string fault = leaf_fault(leaf, lowest, limit); !fault.empty())
      return fault;
    keys += leaf.count();
  }
  if (keys != size())
    return "the index counts " + std::to_string(size()) + " keys and has " + std::to_string(keys);
  return {};
}

} // namespace omptarget
