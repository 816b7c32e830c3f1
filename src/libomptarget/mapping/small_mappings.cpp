// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small data that constructs map anew and release again. Such a mapping becomes dormant: lookups take it
// for removed, but it keeps its place in the index and its storage. A construct that enters the same range revives it
// by one compare-and-swap. Any other mapping of these addresses evicts it.

#include <utility>

#include "base/atomic_wait.h"
#include "base/memory_orders.h"
#include "base/sched_point.h"
#include "mapping/host_data_to_target_map.h"

namespace omptarget {

namespace {

/// Returns whether the mapping, which begins before the range ends, is where the range is to be; an empty range may
/// be the base of its neighbours.
bool is_in_the_way(const Mapping &mapping, const NewRange &range) {
  return range.begin == range.end || range.begin < mapping.end();
}

} // namespace

/// As long as it is, nothing else overlaps the range: ranges in the index never overlap.
bool HostDataToTargetMap::is_dormant_at(const Mapping &mapping, HostPtr begin, int64_t size) {
  const uint64_t word = mapping.state();
  return MappingState::is_dormant(word) && mapping.begin() == begin && mapping.end() == begin + size &&
         mapping.state() == word;
}

MappingRef HostDataToTargetMap::revive(Mapping *mapping, const NewRange &range, bool is_ready) {
  if (!mapping)
    return {};
  uint64_t word = mapping->state_.load(kAcquire);
  // These reads are valid if the word is still the same below.
  if (!MappingState::is_dormant(word) || mapping->begin() != range.begin || mapping->end() != range.end ||
      mapping->base() != range.base || mapping->has_extras())
    return {};
  const uint64_t live =
      MappingState::next_live(word) | MappingState::kStorage | (is_ready ? MappingState::kReady : 0) | 1;
  OMPTARGET_SCHED_POINT("revive: about to");
  if (!mapping->state_.compare_exchange_strong(word, live, kAcqRel, kAcquire) &&
      !OMPTARGET_PLANTED("state_revived_whatever_it_is"))
    return {};
  if (range.creator)
    mapping->origin_.store(Mapping::origin_of(range.creator), std::memory_order_release); // no padding
  if (mapping->name() != range.name) {
    names_.note(range.name);
    mapping->name_.store(range.name, kRelaxed);
  }
  return {mapping, MappingState::generation(live)};
}

/// Returns the place of small data that were entered lately, since they are likely to be entered again. Null: the
/// mapping should go.
inline DormantMappings::Place *HostDataToTargetMap::place_if_dormant(const Mapping &mapping) {
  const HostPtr begin = mapping.begin();
  const bool may_be_dormant =
      dormant_.may_keep(mapping.size()) &&
      (mapping.origin_.load(kRelaxed) & Mapping::kPaddingMask) == 0; // its own memory, and nothing before the data
  DormantMappings::Place *const place = may_be_dormant ? dormant_.place_for(begin, mapping) : nullptr;
  return place && recent_.guess(begin) == &mapping ? place : nullptr;
}

/// The use of a mapping that has dynamic references only, and whose data nobody works on; 0 of any other.
uint64_t HostDataToTargetMap::use_to_delete(MappingRef ref) {
  const uint64_t word = ref.mapping->state();
  const uint64_t use = MappingState::use(word);
  const uint32_t count = MappingState::count(word);
  const bool is_plain = (use & ~MappingState::kCountMask) == MappingState::kReady;
  return MappingState::generation(word) == ref.generation && is_plain && count != 0 && count != MappingState::kInfinite
             ? use
             : 0;
}

Removed HostDataToTargetMap::delete_all(MappingRef ref) {
  while (OMPTARGET_PLANTED("state_deleted_in_two_steps") && MappingState::count(ref.mapping->state()) > 1 &&
         ref.release_unless_last()) {
  }
  for (;;) { // as long as others retain or release it
    const uint64_t use = use_to_delete(ref);
    OMPTARGET_SCHED_POINT("delete: read, not yet removed");
    Removed removed = use != 0 ? remove_if(ref, MappingState::kUse, use, Mutex::kFree) : Removed{};
    if (removed.is_removed || use == 0)
      return removed;
  }
}

/// A thread that makes a mapping dormant checks afterwards that the place still holds it. A thread that takes the place
/// checks afterwards whether the mapping before is dormant (evict). At least one of the two detects the race and evicts
/// the mapping.
bool HostDataToTargetMap::become_dormant(MappingRef ref, EndedUse use, BeforeDormant tell) {
  Mapping &mapping = *ref.mapping;
  uint64_t last = MappingState::kReadyAndLast;
  if (use == EndedUse::kTurn) {
    last = MappingState::kReady | MappingState::kInTurn;
  } else if (use == EndedUse::kAllReferences) {
    rare_uses_.forget_base_pointers(ref);
    last = use_to_delete(ref);
  }
  DormantMappings::Place *const place = last != 0 ? place_if_dormant(mapping) : nullptr;
  if (!place)
    return false;
  if (tell) {
    // Told only if it is likely to happen: a mapping with other users stays.
    const uint64_t word = mapping.state();
    if (!ref.is_of(word) || MappingState::use(word) != last || MappingState::borrowers(word) != 0)
      return false;
    (*tell)();
  }
  OMPTARGET_SCHED_POINT("complete: about to remove");
  Mapping *const before = place->holds(mapping) ? nullptr : place->put(mapping);
  uint64_t word = mapping.state_.load(kAcquire);
  bool became_dormant = false;
  while (!became_dormant && ref.is_of(word) &&
         (MappingState::use(word) == last || OMPTARGET_PLANTED("state_dormant_though_used")) &&
         (MappingState::borrowers(word) == 0 || OMPTARGET_PLANTED("state_dormant_though_borrowed")))
    became_dormant = mapping.change_state(word, MappingState::next_removed(word) | MappingState::kStorage);
  OMPTARGET_SCHED_POINT("exit: dormant");
  const bool is_in_place = !became_dormant || place->holds(mapping) || OMPTARGET_PLANTED("state_dormant_out_of_place");
  if (before || !is_in_place) {
    std::lock_guard lock(rare_uses_.mutex());
    if (before)
      evict(*before);
    if (!is_in_place)
      evict(mapping);
  }
  // Constructs that enter and wait for the turn have a reference, unless somebody has deleted the data under them.
  if (became_dormant && use == EndedUse::kTurn)
    notify_waiters(mapping.state_);
  return became_dormant;
}

/// The mutex is held, and no stripe. False if the mapping is not dormant.
bool HostDataToTargetMap::evict(Mapping &mapping) {
  // The latest, and a mapping that becomes dormant later sees what we did before.
  uint64_t word =
      OMPTARGET_PLANTED("state_dormant_in_no_place") ? mapping.state() : mapping.state_.fetch_or(0, kAcqRel);
  while (MappingState::is_dormant(word)) {
    const HostPtr begin = mapping.begin(); // its own, if the word is still the same below
    OrderedIndex::Holder holder(index_, static_cast<uintptr_t>(begin));
    const uint64_t removed_word = word & ~MappingState::kStorage;
    if (!mapping.state_.compare_exchange_strong(word, removed_word, kAcqRel, kAcquire))
      continue;
    dormant_.forget(begin, &mapping);
    dormant_.add_evicted(mapping.allocation());
    Removed removed; // nobody learns of it
    if (mapping.extras())
      recycle_extras(mapping);
    return unlink(mapping, removed_word, holder, removed);
  }
  return false;
}

/// Returns the dormant mapping in the range, or null.
inline Mapping *HostDataToTargetMap::dormant_in(const NewRange &range, const OrderedIndex::Neighbours &around) {
  const bool reaches_above = range.begin == range.end || around.above_key < static_cast<uintptr_t>(range.end);
  for (Mapping *const neighbour : {around.below, reaches_above ? around.above : nullptr})
    if (neighbour && is_in_the_way(*neighbour, range) && MappingState::is_removed(neighbour->state()))
      return neighbour;
  return nullptr;
}

/// Takes the stripes around the range's begin, for insert_new, if there is room. Otherwise takes nothing, and older
/// is what is present there. Evicts dormant mappings in the range. around: of the range's begin, however long ago.
bool HostDataToTargetMap::make_room_locked(const NewRange &range, OrderedIndex::Neighbours &around, Found &older,
                                           Mutex mutex) {
  const auto key = static_cast<uintptr_t>(range.begin);
  for (;; around = index_.around(key)) {
    if (!index_.lock_around(key, around))
      continue;
    Mapping *const dormant = dormant_in(range, around);
    if (!dormant)
      older = classify(around, range.begin, range.end - range.begin);
    if (!dormant && !older.ref && !index_.is_full(around))
      return true;
    index_.unlock_around(around, false);
    if (dormant) {
      std::unique_lock lock(rare_uses_.mutex(), std::defer_lock);
      if (mutex == Mutex::kFree)
        lock.lock();
      (void)evict(*dormant); // otherwise it has just been revived
    } else if (!older.ref) {
      split_leaf(key);
    } else if (!MappingState::is_removed(older.state)) {
      return false; // otherwise it has just become dormant
    }
  }
}

void HostDataToTargetMap::evict_all() {
  std::lock_guard lock(rare_uses_.mutex());
  dormant_.for_each([this](Mapping &mapping) { (void)evict(mapping); });
}

} // namespace omptarget
