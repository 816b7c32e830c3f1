// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host data that are present on one device (OpenMP 5.2, section 5.8): who is where, and how often referenced. Knows
// nothing of plugins: callers allocate and copy, and tell the result.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "mapping/attached_pointers.h"
#include "mapping/dormant_mappings.h"
#include "mapping/large_frees.h"
#include "mapping/mapping_store.h"
#include "mapping/name_pages.h"
#include "mapping/ordered_index.h"
#include "mapping/recent_mappings.h"

namespace omptarget {

/// Which of the two reference counts a construct uses (ompx_hold).
enum class Counter { kDynamic, kHold };

/// The result of looking up a host range.
struct Found {
  MappingRef ref{}; ///< what contains or overlaps the range, or null
  HostPtr begin{};  ///< its bounds when it was found
  HostPtr end{};
  uint64_t state = 0;         ///< its state word then
  bool is_contained = false;  ///< the range lies inside; an empty range: at it, or between its base and it
  bool is_overlapped = false; ///< part of the range lies inside
};

/// The parts of a new mapping. All addresses are the host's.
struct NewRange {
  HostPtr begin;
  HostPtr end;
  HostPtr base;
  const char *name;
  const void *creator; ///< the construct's queue, if it publishes the mapping by publish_ready; or null
  Counter counter;
};

/// The result of a lookup of absent data.
struct Absence {
  bool is_absent = false;                                             ///< nothing overlaps the range
  Mapping *dormant = nullptr;                                         ///< of exactly this range, if it is still dormant
  OrderedIndex::Neighbours gap = OrderedIndex::Neighbours::unknown(); ///< where it would lie
};

/// What a construct ends when it may be the last user of a mapping.
enum class EndedUse : uint8_t {
  kTurn,          ///< its turn
  kReference,     ///< its reference, if that is the last one, and nobody copies the data
  kAllReferences, ///< the dynamic references of all constructs (delete), if nobody holds the mapping or copies the data
};

struct [[nodiscard]] Inserted {
  Found found; ///< the new mapping, or the older one that overlaps the range
  bool is_new = false;
};

/// A mapping that left the table, and the device memory that is left to be freed. While others still borrow it
/// there is nothing to free; the last of them to give it back gets the memory.
struct [[nodiscard]] Removed {
  bool is_removed = false; ///< this call took it out of the table
  bool is_free = false;    ///< nobody uses its storage any more
  bool is_large = false;   ///< large_frees().end() is to be called once the allocation is freed
  DevicePtr allocation{};  ///< to be freed, or null
  HostPtr begin{};
  DevicePtr target_begin{};
  int64_t size = 0;
  const char *name = nullptr;

  void describe(const Mapping &mapping) {
    begin = mapping.begin();
    target_begin = mapping.target_begin();
    size = mapping.size();
    name = mapping.name();
  }
};

/// Any thread. Ranges in the index never overlap. No function calls out with a lock held. Locks:
/// - Finding, borrowing and becoming dormant take none: the state word of a mapping decides.
/// - Inserting and removing take the stripes of the index where the range lies. One stripe lock covers both marking a
///   mapping as removed and erasing it. So nobody with that stripe finds a removed mapping, or uses its memory again.
/// - Removing a mapping that has extras, and evicting, take the mutex of RareUses. Walking takes all stripes.
/// A thread that takes several takes that mutex first, then stripes, then that of MappingStore.
class HostDataToTargetMap {
public:
  HostDataToTargetMap() = default;
  HostDataToTargetMap(const HostDataToTargetMap &) = delete;
  HostDataToTargetMap &operator=(const HostDataToTargetMap &) = delete;
  RareUses &rare_uses() { return rare_uses_; }
  AttachedPointers &attached_pointers() { return attached_pointers_; }
  DormantMappings &dormant() { return dormant_; }
  LargeFrees &large_frees() { return large_frees_; }

  /// Looks up [begin, begin + size); size 0 looks for the array section whose start or base the address is.
  Found find(HostPtr begin, int64_t size) const;
  /// The same; if nothing is found, absence tells where the range would lie, and what is dormant there.
  Found find(HostPtr begin, int64_t size, Absence &absence);

  /// Makes a mapping with count 1 and no storage yet, unless something overlaps the range already. The caller publishes
  /// the storage, or calls discard. gap: of the range's absence, if that was looked up.
  Inserted insert(const NewRange &range, OrderedIndex::Neighbours gap = OrderedIndex::Neighbours::unknown());
  /// Makes a mapping that is ready and never removed by counting: a global variable or an associated pointer.
  /// False if the range overlaps an older mapping.
  bool insert_infinite(const NewRange &range, DevicePtr target);

  // For constructs whose data are present, as most are: one step each.
  /// Returns the mapping that holds the whole range (size 0: the address) and whose data have arrived, if that takes no
  /// search. Null: find knows.
  MappingRef guess_arrived(HostPtr begin, int64_t size) const;
  /// The same, with a search, for a caller that is going to release a reference. Null: there is more to know. Among so
  /// many data that memory is the bottleneck, a thread that has lately released last references prefetches the next
  /// data to be released.
  MappingRef find_to_release(HostPtr begin, int64_t size) {
    const MappingRef next = recent_.is_large() ? next_to_release(begin, size) : MappingRef{};
    return next ? next : find_arrived(begin, size);
  }
  /// The same, with a dynamic reference more. If it is null, absence tells whether nothing overlaps the range, else
  /// it is unchanged.
  MappingRef retain_arrived(HostPtr begin, int64_t size, Absence &absence);
  /// The same, borrowed.
  MappingRef borrow_arrived(HostPtr begin, int64_t size);

  // For constructs that map small data anew and release them again (small_mappings.cpp).
  /// The dormant mapping of the range's absence becomes present with one reference and undefined data. Null: there is
  /// none any more. Unless is_ready, the caller copies the data, and then calls publish_ready, or discard.
  MappingRef revive(Mapping *dormant, const NewRange &range, bool is_ready);
  /// Called when a mapping is about to become dormant, which may fail all the same.
  using BeforeDormant = const std::function<void()> *;
  /// Ends the use and makes the mapping dormant, in one step. False: nothing has happened, and end_use is to follow.
  bool become_dormant(MappingRef ref, EndedUse use, BeforeDormant tell = nullptr);
  /// Nothing stays dormant; DormantMappings::take_evicted has what they had.
  void evict_all();

  /// Ends the use and removes the mapping, in one step; the caller frees what it had. If the mapping has other users as
  /// well, a turn ends all the same, and of references nothing has happened.
  Removed end_use(MappingRef ref, EndedUse use);
  /// Removes the mapping if it still has no references and no turn, and is ready; the caller frees what it had.
  Removed remove_if_unused(MappingRef ref);
  /// Keeps the mapping's storage and attached pointers as they are, but not the mapping present: for constructs that
  /// use data without a reference. A construct that enters the data after they were removed gets fresh storage. False
  /// if it has been removed since it was found. The last give_back of a removed mapping frees it.
  bool borrow(MappingRef ref);
  Removed give_back(MappingRef ref);
  /// Removes the infinite mapping that begins there and was made with this creator: an association, or with null a
  /// global variable, whose module goes. Not removed if it is held.
  Removed remove_infinite(HostPtr begin, const void *creator = nullptr);

  /// The creating construct failed: removes the mapping, whatever its count. If the mapping is ready, others may be
  /// using it, and its creator releases it instead.
  Removed discard(MappingRef ref);

  /// How many are present.
  size_t size() const { return index_.size() - dormant_.count(); }

  /// A copy of what the table holds, in order of host addresses.
  struct Snapshot {
    HostPtr begin, end, base;
    DevicePtr target_begin;
    uint32_t dynamic_count; ///< UINT32_MAX if infinite
    uint32_t hold_count;
    const char *name;
  };
  std::vector<Snapshot> snapshot() const;

  /// The first broken invariant, in words; empty if there is none. Walks the whole table with its locks held.
  std::string fault() const;

  /// Forgets names that lie in this range of addresses, since the module that holds them goes: those of what
  /// constructs have mapped, and with are_globals those of all global variables, or that of the one which begins
  /// there.
  void forget_names(uintptr_t begin, uintptr_t end, bool are_globals = true);
  void forget_name_of_global(HostPtr variable, uintptr_t begin, uintptr_t end);

  /// Around a fork: the locks are taken before and given back after, in parent and child.
  void before_fork() {
    rare_uses_.mutex().lock();
    index_.lock();
    store_.lock();
  }
  void after_fork() {
    store_.unlock();
    index_.unlock();
    rare_uses_.mutex().unlock();
  }
  /// In the child of a fork, which has one thread: discards data that another thread was mapping or removing, and ends
  /// turns and waits. References stay, whichever thread took them.
  void forget_other_threads();

private:
  void forget_other_threads(Mapping &mapping);
  bool is_likely_absent(HostPtr begin) const;
  MappingRef next_to_release(HostPtr begin, int64_t size) const;
  static bool has_arrived_with(const Mapping &mapping, uint64_t word, HostPtr begin, int64_t size);
  static MappingRef if_arrived(Mapping *mapping, HostPtr begin, int64_t size);
  MappingRef find_arrived(HostPtr begin, int64_t size);
  MappingRef search_arrived(HostPtr begin, int64_t size);
  MappingRef arrived_of(const Found &found, HostPtr begin);
  MappingRef search_unless_dormant(Mapping *guess, HostPtr begin, int64_t size, Absence &absence);
  MappingRef search_and_retain(HostPtr begin, int64_t size, Absence &absence);
  static Found classify(const OrderedIndex::Neighbours &around, HostPtr begin, int64_t size);
  bool find_past_dormant(OrderedIndex::Neighbours around, HostPtr begin, int64_t size, Found &found) const;
  static bool is_dormant_at(const Mapping &mapping, HostPtr begin, int64_t size);
  enum class Mutex { kFree, kHeld }; // whether the caller holds that of rare_uses_
  bool make_room_locked(const NewRange &range, OrderedIndex::Neighbours &around, Found &older, Mutex mutex);
  static Mapping *dormant_in(const NewRange &range, const OrderedIndex::Neighbours &around);
  void split_leaf(uintptr_t key);
  bool evict(Mapping &mapping);
  static uint64_t use_to_delete(MappingRef ref);
  Removed end_turn(MappingRef ref);
  Removed delete_all(MappingRef ref);
  DormantMappings::Place *place_if_dormant(const Mapping &mapping);
  static void forget_name(Mapping &mapping, uintptr_t begin, uintptr_t end);
  void recycle_extras(Mapping &mapping);
  Inserted insert_new(const NewRange &range, OrderedIndex::Neighbours &around, DevicePtr target, uint64_t state,
                      Mutex mutex);
  Removed remove_if(MappingRef ref, uint64_t bits, uint64_t state, Mutex mutex);
  Removed remove_large_if(MappingRef ref, uint64_t bits, uint64_t state, Mutex mutex);
  Removed take_out_if(MappingRef ref, uint64_t bits, uint64_t state, Mutex mutex);
  bool unlink(Mapping &mapping, uint64_t word, OrderedIndex::Holder &holder, Removed &removed);
  void recycle_apart(Mapping &mapping, Removed &removed, Mutex mutex);

  mutable OrderedIndex index_; // for its locks
  RareUses rare_uses_{index_};
  AttachedPointers attached_pointers_{rare_uses_};
  RecentMappings recent_;
  DormantMappings dormant_{rare_uses_.mutex()};
  LargeFrees large_frees_;
  NamePages names_; // of all but global variables
  MappingStore store_;
};

/// Returns whether the mapping holds the whole range. word is its state, read before; while that stays the same, so
/// do the bounds.
inline bool HostDataToTargetMap::has_arrived_with(const Mapping &mapping, uint64_t word, HostPtr begin, int64_t size) {
  const HostPtr mapped_begin = mapping.begin();
  const HostPtr mapped_end = mapping.end();
  return MappingState::is_settled(word) && begin >= mapped_begin && begin < mapped_end &&
         static_cast<uint64_t>(size) <= static_cast<uint64_t>(mapped_end - begin);
}

inline MappingRef HostDataToTargetMap::if_arrived(Mapping *mapping, HostPtr begin, int64_t size) {
  if (mapping) {
    const uint64_t word = mapping->state();
    const MappingRef ref{mapping, MappingState::generation(word)};
    if (has_arrived_with(*mapping, word, begin, size) &&
        (!ref.is_removed() || OMPTARGET_PLANTED("state_guess_unchecked"))) [[likely]]
      return ref;
  }
  return {};
}

inline MappingRef HostDataToTargetMap::guess_arrived(HostPtr begin, int64_t size) const {
  return if_arrived(recent_.guess(begin), begin, size);
}

inline MappingRef HostDataToTargetMap::find_arrived(HostPtr begin, int64_t size) {
  const MappingRef ref = guess_arrived(begin, size);
  return ref ? ref : search_arrived(begin, size);
}

inline MappingRef HostDataToTargetMap::retain_arrived(HostPtr begin, int64_t size, Absence &absence) {
  if (recent_.is_large() && is_likely_absent(begin)) [[unlikely]]
    return search_and_retain(begin, size, absence);
  Mapping *const mapping = recent_.guess(begin);
  if (mapping) {
    uint64_t word = mapping->state();
    const MappingRef ref{mapping, MappingState::generation(word)};
    if (has_arrived_with(*mapping, word, begin, size)) [[likely]] {
      if (MappingState::count(word) >= MappingState::kInfinite - 1) [[unlikely]] {
        if (MappingState::count(word) == MappingState::kInfinite ? !ref.is_removed() : ref.retain_at_limit().is_valid)
          return ref;
      } else if (mapping->change_state(word, word + 1)) [[likely]] {
        return ref;
      }
    }
  }
  return search_unless_dormant(mapping, begin, size, absence);
}

inline MappingRef HostDataToTargetMap::borrow_arrived(HostPtr begin, int64_t size) {
  if (Mapping *const mapping = recent_.guess(begin)) {
    uint64_t word = mapping->state();
    const MappingRef ref{mapping, MappingState::generation(word)};
    if (has_arrived_with(*mapping, word, begin, size) &&
        MappingState::borrowers(word) != MappingState::kManyBorrowers &&
        mapping->change_state(word, word + MappingState::kBorrower)) [[likely]]
      return ref;
  }
  for (;;) {
    const MappingRef ref = find_arrived(begin, size);
    if (!ref || borrow(ref))
      return ref;
  }
}

} // namespace omptarget
