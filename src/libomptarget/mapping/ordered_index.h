// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mappings ordered by host address, read without a lock.
//
// Two levels: a directory of leaves, each leaf a sorted array of up to 120 keys. A search compares with every 17th key
// of 16 at once, so that it waits for memory three times even among a million keys, not twenty times.
//
// Locks: each leaf belongs to one of eight stripes, for good. A thread that changes a leaf holds its stripe. If the new
// key will be the first or the last one of its leaf, the thread also holds the stripe of the leaf beside. So
// nobody else inserts between the same neighbours. A thread that splits or merges leaves holds all stripes.
// Stripes are taken in ascending order. Readers hold nothing: they note the versions of the stripes that they read,
// and retry if one has changed.
//
// Leaves and directories are never given back to the system, so a reader that lost a race reads garbage and never
// freed memory. All accesses are acquire loads and release stores instead of fences, which cost nothing on x86 and
// which ThreadSanitizer understands.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/object_blocks.h"
#include "base/sched_point.h"
#include "base/versioned_lock.h"

namespace omptarget {

class Mapping;

/// Any thread, as the functions say. A thread that holds a stripe must not look for neighbours (around) or take more
/// of them.
class OrderedIndex {
private:
  struct Leaf;
  struct Stripe;
  struct Directory;

public:
  OrderedIndex();
  ~OrderedIndex();
  OrderedIndex(const OrderedIndex &) = delete;
  OrderedIndex &operator=(const OrderedIndex &) = delete;
  static constexpr uint32_t kStripes = 8;

  /// Objects for keys to come, linked by the index's owner, who holds the stripe.
  struct FreeMappings {
    Mapping *first = nullptr;
    uint32_t count = 0;
  };
  /// A stripe as a reader found it.
  struct Noted {
    Stripe *stripe;
    uint32_t version;
  };
  struct Neighbours {
    Mapping *below;      ///< with the largest key that is not above the key asked for, or null
    Mapping *above;      ///< with the smallest key that is above it, or null
    uintptr_t above_key; ///< of above, which need not be fetched for it; the largest one without above
    Leaf *leaf;          ///< where the key belongs
    uint32_t position;
    Noted own;   ///< the leaf's stripe
    Noted other; ///< that of the leaf beside, if one of the neighbours lies there; otherwise own again

    /// Returns the neighbours of a key that nobody has looked for.
    static Neighbours unknown() {
      Neighbours neighbours;
      neighbours.forget();
      return neighbours;
    }
    void forget() { own.version = VersionedLock::kNoVersion; }
  };

  // Reading. Takes no lock, and waits for who changes what it looks at.
  Neighbours around(uintptr_t key) const;
  /// The same of a key that is likely to be inserted there: has the whole leaf fetched.
  void look(uintptr_t key, Neighbours &around) const;
  /// Has the whole leaf of the key fetched, while something else is done. Returns its number, which others may change.
  uint32_t fetch(uintptr_t key) const;
  static constexpr uint32_t kNoLeaf = UINT32_MAX;
  /// A guess: the mapping with this key, if it is the first one of the leaf of that number; otherwise null.
  Mapping *first_of(uint32_t leaf, uintptr_t key) const;
  /// Returns whether what around() returned is right, and what was read of the neighbours since.
  static bool is_current(const Neighbours &around) { return is_current(around.own) && is_current(around.other); }
  /// The same of several looks, which are right all at once.
  class ReadSet {
  public:
    void add(const Neighbours &around);
    bool are_current() const;

  private:
    void add(Noted noted);
    std::array<Noted, kStripes> noted_{};
    bool is_changed_ = false;
  };

  // Inserting: lock_around, is_full, insert_at, unlock_around.
  /// Takes the stripes in which the neighbours lie. around: what around(key) returned, however long ago; afterwards
  /// it is what the index has now. False: nothing is taken, since other stripes are needed than those that were
  /// noted.
  bool lock_around(uintptr_t key, Neighbours &around);
  /// Then a key can be inserted only after split(key), with nothing held.
  bool is_full(const Neighbours &around) const;
  void insert_at(const Neighbours &around, uintptr_t key, Mapping *value);
  FreeMappings &free_at(const Neighbours &around);
  void unlock_around(const Neighbours &around, bool is_changed);
  /// Makes two leaves of the key's leaf if it is full. Everything is held.
  void split(uintptr_t key);

  /// Holds the stripe of the leaf where a key belongs, or everything if the leaf would be empty without the key. So
  /// the key is neither inserted nor erased by others.
  class Holder {
  public:
    /// likely_leaf: where the key is likely to be. Otherwise the directory is searched.
    Holder(OrderedIndex &index, uintptr_t key, uint32_t likely_leaf = kNoLeaf);
    Holder(const Holder &) = delete;
    Holder &operator=(const Holder &) = delete;
    ~Holder();
    /// The key, which is there.
    void erase();
    FreeMappings &free();
    /// The leaf's number, which others may change once this holds nothing.
    uint32_t leaf() const { return number_; }

  private:
    OrderedIndex &index_;
    const uintptr_t key_;
    Leaf *leaf_;
    uint32_t number_; // of the leaf in the directory
    bool is_everything_ = false;
    bool is_changed_ = false;
  };

  /// Everything: all stripes, as a lock. Readers wait meanwhile.
  void lock();
  void unlock();

  size_t size() const;
  /// Leaves in use; everything is held.
  size_t leaf_count() const;
  /// All values in order of their keys; everything is held.
  std::vector<Mapping *> values() const;
  /// Returns the free lists of all stripes. Everything is held.
  std::vector<FreeMappings> free_lists() const;
  /// The first broken invariant, in words; empty if there is none. Everything is held.
  std::string fault() const;

private:
  static constexpr uint32_t kLeafCapacity = 120; // a leaf takes a little less than half a page

  /// A key and what belongs to it in one cache line. In a directory: a leaf and a bound of its keys.
  template <typename T> struct Slot {
    std::atomic<uintptr_t> key{0};
    std::atomic<T *> value{nullptr};
  };
  /// Which slots of an array are in use: those from first on. One word, so that a reader never sees slots outside of
  /// the array. There may be room on both sides: keys at the front are erased without moving the others.
  struct Used {
    uint32_t first = 0;
    uint32_t count = 0;
  };
  template <typename T> struct View {
    Slot<T> *slots;
    uint32_t count;
  };
  template <typename T> static View<T> view(Slot<T> *slots, const std::atomic<Used> &used) {
    const Used now = used.load(std::memory_order_acquire);
    return {slots + now.first, now.count};
  }
  /// At a position among the slots in use, of which there are fewer than the capacity.
  template <typename T>
  static void insert(Slot<T> *slots, std::atomic<Used> &used, uint32_t capacity, uint32_t position, uintptr_t key,
                     T *value);
  template <typename T> static void erase(Slot<T> *slots, std::atomic<Used> &used, uint32_t position);
  struct Leaf {
    std::atomic<Used> used{};
    Stripe *stripe = nullptr; // from when it is made
    Slot<Mapping> slots[kLeafCapacity];
    View<Mapping> view() const { return OrderedIndex::view(const_cast<Slot<Mapping> *>(slots), used); }
    uint32_t count() const { return used.load(std::memory_order_relaxed).count; }
  };
  /// State that inserting threads pass on, in one cache line.
  struct alignas(64) Stripe {
    VersionedLock lock;
    uint32_t number = 0;
    FreeMappings free;
    std::atomic<size_t> keys{0}; // inserted less erased: keys move between stripes, so that only the sum of all tells
  };

  /// Returns the fault of a leaf whose keys must be at least lowest and below limit.
  static std::string leaf_fault(const Leaf &leaf, uintptr_t lowest, uintptr_t limit);
  static bool is_current(Noted noted);
  static void fetch(const Leaf &leaf);
  template <bool kFetches> void look_at(uintptr_t key, Neighbours &around) const;
  Leaf *new_leaf();
  View<Leaf> leaves() const;
  static uint32_t leaf_index(View<Leaf> leaves, uintptr_t key);
  template <typename Note>
  static void look_into_leaf(View<Leaf> leaves, uint32_t index, uintptr_t key, Neighbours &result, Note note);
  bool look_again(uintptr_t key, Neighbours &around);
  static bool is_leaf_of(View<Leaf> leaves, uint32_t index, uintptr_t key);
  uint32_t lock_leaf_of(uintptr_t key, uint32_t likely);
  bool may_merge(uint32_t index) const;
  void merge(uintptr_t key);
  void tidy(uintptr_t key);
  void remove_leaf(uint32_t index);
  /// If both fit into half a leaf; whether they did.
  bool merge_with_next(uint32_t index);
  void add_to_directory(uint32_t index, uintptr_t first_key, Leaf *leaf);

  std::atomic<Directory *> directory_;
  VersionedLock directory_lock_; // held while the directory changes, with everything held
  // With everything held.
  ObjectBlocks<Leaf> leaves_; // all that were ever made
  uint32_t leaves_made_ = 0;
  std::vector<Leaf *> free_leaves_;
  std::vector<std::unique_ptr<Directory>> directories_; // the current one last; the others wait for slow readers

  Stripe stripes_[kStripes];
};

inline bool OrderedIndex::is_current(Noted noted) {
  return noted.stripe->lock.is_still(noted.version) || OMPTARGET_PLANTED("index_end_unchecked");
}

inline bool OrderedIndex::lock_around(uintptr_t key, Neighbours &around) {
  const Noted own = around.own, other = around.other;
  if (own.version == VersionedLock::kNoVersion)
    return false;
  bool is_same;
  if (own.stripe == other.stripe) {
    is_same = own.stripe->lock.lock(own.version) == own.version && own.version == other.version;
  } else {
    const auto [first, second] = own.stripe < other.stripe ? std::pair{own, other} : std::pair{other, own};
    is_same = first.stripe->lock.lock(first.version) == first.version;
    is_same = (second.stripe->lock.lock(second.version) == second.version) && is_same;
  }
  const bool is_unseen = OMPTARGET_PLANTED("index_change_of_gap_unseen") || OMPTARGET_PLANTED("state_gap_unchecked");
  return is_same || is_unseen || look_again(key, around);
}

inline bool OrderedIndex::is_full(const Neighbours &around) const { return around.leaf->count() == kLeafCapacity; }

inline OrderedIndex::FreeMappings &OrderedIndex::free_at(const Neighbours &around) { return around.leaf->stripe->free; }

/// Only the leaf of the key has changed, if any.
inline void OrderedIndex::unlock_around(const Neighbours &around, bool is_changed) {
  const auto unlock = [&](Stripe *stripe) {
    if (is_changed && stripe == around.leaf->stripe)
      stripe->lock.unlock();
    else
      stripe->lock.unlock_unchanged();
  };
  unlock(around.own.stripe);
  if (around.other.stripe != around.own.stripe)
    unlock(around.other.stripe);
}

inline OrderedIndex::FreeMappings &OrderedIndex::Holder::free() { return leaf_->stripe->free; }

} // namespace omptarget
