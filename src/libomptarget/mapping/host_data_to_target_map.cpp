// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/host_data_to_target_map.h"

#include <algorithm>

#include "base/atomic_wait.h"
#include "base/memory_orders.h"
#include "base/sched_point.h"

namespace omptarget {

namespace {

/// A mapping that is removed changes its state before it leaves the index, and it may become dormant at any moment.
/// A lookup in between must not take it for a new one.
bool is_dead(const Found &found) { return found.ref && (found.ref.generation & 1) != 0; }

/// Recent actions of a thread in large tables, which it is likely to repeat.
struct Habit {
  static constexpr uint8_t kTries = 2;   ///< so often it is relied on without being confirmed
  uint8_t entering = 0;                  ///< data that were absent
  uint8_t releasing = 0;                 ///< data for the last time
  uint32_t leaf = OrderedIndex::kNoLeaf; ///< where those lay that it has left, or those lie that it is about to leave
};
thread_local constinit Habit habit;

/// word: the state, or what it was; then it is the state afterwards, and nothing has happened.
bool mark_removed(std::atomic<uint64_t> &state, uint64_t &word) {
  if (OMPTARGET_PLANTED("state_removed_though_revived"))
    state.store(MappingState::removed(word), kRelease);
  return OMPTARGET_PLANTED("state_removed_though_revived") ||
         state.compare_exchange_weak(word, MappingState::removed(word), std::memory_order_acq_rel, kAcquire);
}

/// Uses up one of the predictions that are left. Returns whether there was one.
bool use_prediction(uint8_t &tries) { return tries > 0 && tries-- > 0; }

Found found_at(const Mapping &mapping, bool contained, bool overlapped) {
  Found found;
  found.state = mapping.state();
  found.ref = {const_cast<Mapping *>(&mapping), MappingState::generation(found.state)};
  found.begin = mapping.begin();
  found.end = mapping.end();
  found.is_contained = contained;
  found.is_overlapped = overlapped;
  return found;
}

} // namespace

/// Then the index is searched at once, and no guess is waited for; it is fetched because inserting replaces it.
bool HostDataToTargetMap::is_likely_absent(HostPtr begin) const {
  if (!use_prediction(habit.entering))
    return false;
  recent_.fetch(begin);
  return true;
}

/// A table that is torn down in the order of its making has the next mapping where the last one was. Otherwise the
/// directory is searched while the guess is on its way.
[[gnu::noinline]] MappingRef HostDataToTargetMap::next_to_release(HostPtr begin, int64_t size) const {
  if (!use_prediction(habit.releasing))
    return {};
  const auto key = static_cast<uintptr_t>(begin);
  if (Mapping *const next = index_.first_of(habit.leaf, key))
    return if_arrived(next, begin, size);
  recent_.fetch(begin);
  habit.leaf = index_.fetch(key);
  return {};
}

Found HostDataToTargetMap::classify(const OrderedIndex::Neighbours &around, HostPtr begin, int64_t size) {
  if (const Mapping *below = around.below) {
    const HostPtr below_end = below->end();
    if (size == 0 ? begin < std::max(below_end, below->base()) : begin < below_end)
      return found_at(*below, size == 0 || static_cast<uint64_t>(size) <= static_cast<uint64_t>(below_end - begin),
                      true);
  }
  if (const Mapping *above = around.above)
    if (size == 0 ? begin >= above->base() : static_cast<uintptr_t>(begin + size) > around.above_key)
      return found_at(*above, size == 0, true);
  return {};
}

Found HostDataToTargetMap::find(HostPtr begin, int64_t size) const {
  for (;;) {
    const OrderedIndex::Neighbours around = index_.around(static_cast<uintptr_t>(begin));
    Found found = classify(around, begin, size);
    if (size == 0 || is_dead(found)) {
      if (find_past_dormant(around, begin, size, found))
        return found;
    } else if (index_.is_current(around)) {
      return found;
    }
  }
}

/// As find; tells where the range lies or would lie, if one look was enough.
Found HostDataToTargetMap::find(HostPtr begin, int64_t size, Absence &absence) {
  if (size != 0) {
    index_.look(static_cast<uintptr_t>(begin), absence.gap);
    const Found found = classify(absence.gap, begin, size);
    if (!is_dead(found) && index_.is_current(absence.gap)) {
      absence.dormant = nullptr;
      return found;
    }
    absence.dormant = found.ref && is_dormant_at(*found.ref.mapping, begin, size) ? found.ref.mapping : nullptr;
    if (absence.dormant)
      recent_.note(begin, absence.dormant);
  }
  absence.gap.forget();
  return find(begin, size);
}

/// A dormant mapping hides nothing that overlaps a range, but it may lie between an array section and its base.
/// Returns whether the result is right: the index has not changed meanwhile, and nothing has become dormant.
[[gnu::noinline]] bool HostDataToTargetMap::find_past_dormant(OrderedIndex::Neighbours around, HostPtr begin,
                                                              int64_t size, Found &found) const {
  OrderedIndex::ReadSet reads;
  reads.add(around);
  if (size != 0 && around.below && MappingState::is_dormant(around.below->state()))
    around.below = nullptr; // what lies below it ends before the range
  while (around.below && MappingState::is_dormant(around.below->state())) {
    const HostPtr at = around.below->begin();
    const OrderedIndex::Neighbours next = index_.around(static_cast<uintptr_t>(at) - 1);
    reads.add(next);
    around.below = next.below;
    if (around.below && around.below->begin() >= at)
      return false; // the index is being changed
  }
  const uintptr_t end = size == 0 ? UINTPTR_MAX : static_cast<uintptr_t>(begin + size);
  while (around.above && around.above_key < end && MappingState::is_dormant(around.above->state())) {
    const HostPtr at = around.above->begin();
    const OrderedIndex::Neighbours next = index_.around(static_cast<uintptr_t>(at));
    reads.add(next);
    around.above = next.above;
    around.above_key = next.above_key;
    if (around.above && around.above->begin() <= at)
      return false;
  }
  found = classify(around, begin, size);
  return !is_dead(found) && reads.are_current();
}

/// Replaces a guess only after the mapping that it holds was removed, so that threads that look up many data do not
/// write to what all of them read.
MappingRef HostDataToTargetMap::arrived_of(const Found &found, HostPtr begin) {
  if (!found.is_contained || !MappingState::is_settled(found.state))
    return {};
  const Mapping *const guess = recent_.guess(begin);
  if (!guess || MappingState::is_removed(guess->state()))
    recent_.note(begin, found.ref.mapping);
  return found.ref;
}

MappingRef HostDataToTargetMap::search_arrived(HostPtr begin, int64_t size) {
  return arrived_of(find(begin, size), begin);
}

/// Apart from the search, which needs a larger frame.
MappingRef HostDataToTargetMap::search_unless_dormant(Mapping *guess, HostPtr begin, int64_t size, Absence &absence) {
  if (guess && is_dormant_at(*guess, begin, size)) {
    absence.is_absent = true;
    absence.dormant = guess;
    absence.gap.forget();
    return {};
  }
  return search_and_retain(begin, size, absence);
}

MappingRef HostDataToTargetMap::search_and_retain(HostPtr begin, int64_t size, Absence &absence) {
  for (;;) {
    const Found found = find(begin, size, absence);
    const MappingRef ref = arrived_of(found, begin);
    if (!ref) {
      absence.is_absent = !found.ref;
      if (recent_.is_large())
        habit.entering = Habit::kTries;
    }
    if (!ref)
      return ref;
    OMPTARGET_SCHED_POINT("retain: read, not yet counted");
    // Only as it was found: by now it may be removed, or be copied back by a construct that has released the last
    // reference, for which the caller would have to wait.
    uint64_t word = found.state;
    if (MappingState::count(word) >= MappingState::kInfinite - 1 ? ref.retain_at_limit().is_valid
                                                                 : ref.mapping->change_state(word, word + 1))
      return ref;
  }
}

/// around: where the range lies, as for make_room_locked. target: of storage that is not the mapping's own, or null. state: the state word without the generation. Nobody can tell
/// that a mapping is made before its state word says so.
Inserted HostDataToTargetMap::insert_new(const NewRange &range, OrderedIndex::Neighbours &around, DevicePtr target,
                                         uint64_t state, Mutex mutex) {
  Inserted older;
  if (!make_room_locked(range, around, older.found, mutex))
    return older;
  Mapping &mapping = store_.take(index_.free_at(around));
  const uint64_t word = MappingState::next_live(mapping.state_.load(kRelaxed)) | state;
  mapping.begin_.store(range.begin, kRelease);
  mapping.end_.store(range.end, kRelease);
  mapping.base_.store(range.base, kRelease);
  mapping.target_begin_.store(target, kRelease);
  mapping.name_.store(range.name, kRelaxed);
  mapping.origin_.store(Mapping::origin_of(range.creator) | (target == DevicePtr::kNull ? 0 : Mapping::kNotOwn), kRelease);
  if (state & MappingState::kHeld)
    rare_uses_.of(mapping).hold_count.store(1, kRelaxed);
  mapping.state_.store(word, kRelease);
  index_.insert_at(around, static_cast<uintptr_t>(range.begin), &mapping);
  index_.unlock_around(around, true);
  recent_.note(range.begin, &mapping); // others may have removed it by now: a guess
  const MappingRef ref{&mapping, MappingState::generation(word)};
  return {{ref, range.begin, range.end, word, true, true}, true};
}

/// With nothing held. Tables of guesses grow here, too.
[[gnu::cold, gnu::noinline]] void HostDataToTargetMap::split_leaf(uintptr_t key) {
  const std::lock_guard everything(index_);
  index_.split(key);
  if (!recent_.is_small_for(index_.size()))
    return;
  recent_.grow();
  for (Mapping *const mapping : index_.values())
    recent_.note(mapping->begin(), mapping);
}

Inserted HostDataToTargetMap::insert(const NewRange &range, OrderedIndex::Neighbours gap) {
  const bool is_held = range.counter == Counter::kHold;
  std::unique_lock lock(rare_uses_.mutex(), std::defer_lock);
  if (is_held)
    lock.lock(); // for the extras
  names_.note(range.name);
  return insert_new(range, gap, DevicePtr::kNull, is_held ? MappingState::kHeld : 1,
                    is_held ? Mutex::kHeld : Mutex::kFree);
}

bool HostDataToTargetMap::insert_infinite(const NewRange &range, DevicePtr target) {
  constexpr uint64_t kState = MappingState::kInfinite | MappingState::kStorage | MappingState::kReady;
  OrderedIndex::Neighbours around = OrderedIndex::Neighbours::unknown();
  return insert_new(range, around, target, kState, Mutex::kFree).is_new;
}

/// Removes the mapping if these bits of its state word are as in state.
inline Removed HostDataToTargetMap::take_out_if(MappingRef ref, uint64_t bits, uint64_t state, Mutex mutex) {
  Mapping &mapping = *ref.mapping;
  Removed removed;
  {
    // The stripe of its key, if it is still the same mapping.
    OrderedIndex::Holder holder(index_, static_cast<uintptr_t>(mapping.begin()), habit.leaf);
    habit.leaf = holder.leaf();
    uint64_t word = mapping.state_.load(kAcquire);
    do {
      if (!ref.is_of(word) || (word & bits) != state)
        return removed;
      OMPTARGET_SCHED_POINT("remove: unused, not yet marked");
    } while (!mark_removed(mapping.state_, word));
    if (unlink(mapping, MappingState::removed(word), holder, removed))
      return removed;
  }
  recycle_apart(mapping, removed, mutex);
  return removed;
}

Removed HostDataToTargetMap::remove_if(MappingRef ref, uint64_t bits, uint64_t state, Mutex mutex) {
  if (ref.mapping->size() < LargeFrees::kLeastBytes)
    return take_out_if(ref, bits, state, mutex);
  return remove_large_if(ref, bits, state, mutex);
}

[[gnu::noinline]] Removed HostDataToTargetMap::remove_large_if(MappingRef ref, uint64_t bits, uint64_t state,
                                                               Mutex mutex) {
  large_frees_.begin();
  Removed removed = take_out_if(ref, bits, state, mutex);
  removed.is_large = removed.allocation != DevicePtr::kNull;
  if (!removed.is_large)
    large_frees_.end();
  return removed;
}

/// Takes the mapping out of the table; word: its state, of a removed one, since the holder came. False: its memory is
/// to be used again, but it has extras, for which nothing may be held.
bool HostDataToTargetMap::unlink(Mapping &mapping, uint64_t word, OrderedIndex::Holder &holder, Removed &removed) {
  OMPTARGET_SCHED_POINT("remove: marked, not yet out of the index");
  removed.is_removed = true;
  removed.describe(mapping);
  holder.erase();
  if (recent_.is_large())
    habit.releasing = Habit::kTries;
  if (MappingState::borrowers(word) != 0 && !OMPTARGET_PLANTED("state_borrowers_forgotten"))
    return true; // the last of them recycles it
  removed.is_free = true;
  removed.allocation = mapping.allocation();
  if (mapping.extras())
    return false;
  store_.give(mapping, holder.free());
  return true;
}

/// Nobody uses this removed mapping any more: it may become another one, once who removes it gives back its stripe.
/// No stripe is held.
[[gnu::noinline]] void HostDataToTargetMap::recycle_apart(Mapping &mapping, Removed &removed, Mutex mutex) {
  removed.is_free = true;
  removed.allocation = mapping.allocation();
  removed.describe(mapping);
  if (mapping.extras()) {
    std::unique_lock lock(rare_uses_.mutex(), std::defer_lock);
    if (mutex == Mutex::kFree)
      lock.lock();
    recycle_extras(mapping);
  }
  OrderedIndex::Holder holder(index_, static_cast<uintptr_t>(removed.begin));
  store_.give(mapping, holder.free());
}

/// The mutex is held.
[[gnu::noinline]] void HostDataToTargetMap::recycle_extras(Mapping &mapping) {
  attached_pointers_.forget_all(*mapping.extras());
  rare_uses_.recycle(mapping);
}

Removed HostDataToTargetMap::remove_if_unused(MappingRef ref) {
  if (ref.is_removed())
    return {};
  constexpr uint64_t kReady = MappingState::kReady, kTurn = MappingState::kTurn;
  uint64_t looked_at = MappingState::kCountMask | MappingState::kHeld | kTurn | kReady;
  looked_at &= ~(OMPTARGET_PLANTED("state_removed_while_copied") ? kTurn : 0);
  looked_at &= ~(OMPTARGET_PLANTED("state_removed_before_ready") ? kReady : 0);
  return remove_if(ref, looked_at, kReady & looked_at, Mutex::kFree);
}

Removed HostDataToTargetMap::end_use(MappingRef ref, EndedUse use) {
  switch (use) {
  case EndedUse::kTurn: return end_turn(ref);
  case EndedUse::kReference: return remove_if(ref, MappingState::kUse, MappingState::kReadyAndLast, Mutex::kFree);
  case EndedUse::kAllReferences: return delete_all(ref);
  }
  __builtin_unreachable();
}

Removed HostDataToTargetMap::end_turn(MappingRef ref) {
  std::atomic<uint64_t> &state = ref.mapping->state_;
  Removed removed = remove_if(ref, MappingState::kUse, MappingState::kReady | MappingState::kInTurn, Mutex::kFree);
  uint64_t word = state.load(kAcquire);
  while (!removed.is_removed && ref.is_of(word) && (word & MappingState::kTurn))
    if (ref.mapping->change_state(word, word & ~MappingState::kInTurn)) {
      OMPTARGET_SCHED_POINT("exit: others use it");
      if (!OMPTARGET_PLANTED("state_nobody_removes"))
        removed = remove_if_unused(ref); // the constructs that used it may be gone, and have left it to this one
      break;
    }
  if (!OMPTARGET_PLANTED("state_turn_end_untold"))
    notify_waiters(state);
  return removed;
}

bool HostDataToTargetMap::borrow(MappingRef ref) {
  uint64_t word = ref.mapping->state();
  do {
    if (!ref.is_of(word))
      return false;
    if (MappingState::borrowers(word) == MappingState::kManyBorrowers)
      return rare_uses_.borrow_with_many(ref);
  } while (!ref.mapping->change_state(word, word + MappingState::kBorrower));
  return true;
}

Removed HostDataToTargetMap::give_back(MappingRef ref) {
  uint64_t word = ref.mapping->state();
  for (;;) {
    if (MappingState::borrowers(word) != MappingState::kManyBorrowers) {
      if (ref.mapping->change_state(word, word - MappingState::kBorrower))
        break;
    } else {
      OMPTARGET_SCHED_POINT("give back: one of many");
      if (rare_uses_.give_back_one_of_many(ref))
        return {};
      word = ref.mapping->state();
    }
  }
  Removed removed;
  const bool is_removed = MappingState::is_removed(word) || OMPTARGET_PLANTED("state_freed_twice");
  const bool was_last = MappingState::borrowers(word) == 1 || OMPTARGET_PLANTED("state_freed_by_the_first_borrower");
  if (is_removed && was_last) {
    OMPTARGET_SCHED_POINT("give back: the last of a removed mapping");
    recycle_apart(*ref.mapping, removed, Mutex::kFree);
  }
  return removed;
}

Removed HostDataToTargetMap::remove_infinite(HostPtr begin, const void *creator) {
  std::lock_guard lock(rare_uses_.mutex());
  const Found found = find(begin, 1);
  if (!found.is_contained || found.begin != begin || !found.ref.mapping->is_created_by(creator))
    return {};
  return remove_if(found.ref, MappingState::kCountMask | MappingState::kHeld, MappingState::kInfinite, Mutex::kHeld);
}

Removed HostDataToTargetMap::discard(MappingRef ref) {
  Removed removed;
  {
    std::lock_guard lock(rare_uses_.mutex()); // others may be holding it
    removed = remove_if(ref, MappingState::kReady, 0, Mutex::kHeld);
  }
  if (removed.is_removed)
    notify_waiters(ref.mapping->state_);
  return removed;
}

std::vector<HostDataToTargetMap::Snapshot> HostDataToTargetMap::snapshot() const {
  std::lock_guard everything(index_);
  std::vector<Snapshot> all;
  for (const Mapping *mapping : index_.values())
    if (!MappingState::is_dormant(mapping->state()))
      all.push_back({mapping->begin(), mapping->end(), mapping->base(), mapping->target_begin(),
                     MappingState::reported_count(mapping->state()), mapping->hold_count(), mapping->name()});
  return all;
}

void HostDataToTargetMap::forget_name(Mapping &mapping, uintptr_t begin, uintptr_t end) {
  const auto name = reinterpret_cast<uintptr_t>(mapping.name());
  if (name >= begin && name < end)
    mapping.name_.store(nullptr, kRelaxed);
}

void HostDataToTargetMap::forget_names(uintptr_t begin, uintptr_t end, bool are_globals) {
  if (!are_globals && !names_.may_lie_in(begin, end))
    return;
  std::lock_guard everything(index_);
  for (Mapping *mapping : index_.values())
    forget_name(*mapping, begin, end);
}

void HostDataToTargetMap::forget_name_of_global(HostPtr variable, uintptr_t begin, uintptr_t end) {
  const Found found = find(variable, 1);
  if (!found.is_contained)
    return;
  OrderedIndex::Holder holder(index_, static_cast<uintptr_t>(found.begin)); // nobody removes it
  if (!found.ref.is_removed())
    forget_name(*found.ref.mapping, begin, end);
}

} // namespace omptarget
