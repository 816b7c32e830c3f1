// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// References to a mapping: of both kinds, those that stand for base pointers, pins, and borrowing.

#include "base/atomic_wait.h"
#include "base/sched_point.h"
#include "mapping/host_data_to_target_map.h"
#include "mapping/infinite_count.h"

namespace omptarget {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;

} // namespace

Retained HostDataToTargetMap::retain(MappingRef ref, Counter counter) {
  if (counter == Counter::kHold)
    return retain_hold(ref);
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  do {
    if (MappingState::generation(word) != ref.generation && !OMPTARGET_PLANTED("state_retain_any_generation"))
      return {};
    if (MappingState::count(word) >= MappingState::kInfinite - 1) [[unlikely]]
      return retain_at_limit(ref);
    OMPTARGET_SCHED_POINT("retain: read, not yet counted");
  } while (!state.compare_exchange_weak(word, word + 1, std::memory_order_acq_rel, kAcquire));
  return {true, (word & MappingState::kLeft) != 0};
}

/// The count is infinite, or may become so by this reference: the thread that counts it says so, and nobody else ever
/// does.
Retained HostDataToTargetMap::retain_at_limit(MappingRef ref) {
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  do {
    if (MappingState::generation(word) != ref.generation)
      return {};
    if (MappingState::count(word) == MappingState::kInfinite)
      return {true};
  } while (!state.compare_exchange_weak(word, word + 1, std::memory_order_acq_rel, kAcquire));
  if (MappingState::count(word) == MappingState::kInfinite - 1)
    warn_of_infinite_count(ref.mapping->name(), ref.mapping->begin(), ref.mapping->size());
  return {true}; // others have references, so that nobody leaves the data in a turn
}

Retained HostDataToTargetMap::retain_hold(MappingRef ref) {
  std::lock_guard lock(mutex_);
  uint64_t before = 0;
  if (!set_bit(ref, MappingState::kHeld, before))
    return {};
  extras_of(*ref.mapping).hold_count.fetch_add(1, kRelaxed);
  return {true, (before & MappingState::kLeft) != 0};
}

/// word: the state before. False if the mapping has been removed since it was found.
bool HostDataToTargetMap::set_bit(MappingRef ref, uint64_t bit, uint64_t &word) {
  std::atomic<uint64_t> &state = ref.mapping->state_;
  word = state.load(kAcquire);
  do {
    if (MappingState::generation(word) != ref.generation)
      return false;
  } while (!state.compare_exchange_weak(word, word | bit, std::memory_order_acq_rel, kAcquire));
  return true;
}

/// Releasing and taking the turn are one step: others may remove what is unused and in nobody's turn.
Released HostDataToTargetMap::release(MappingRef ref, Counter counter, bool reset, OnLast on_last) {
  if (counter == Counter::kHold)
    return release_hold(ref, reset, on_last);
  std::atomic<uint64_t> &state = ref.mapping->state_;
  for (uint64_t word = state.load(kAcquire);;) {
    if (MappingState::generation(word) != ref.generation && !OMPTARGET_PLANTED("state_release_any_generation"))
      return {false, false, 0};
    const uint32_t count = MappingState::count(word);
    if (count == MappingState::kInfinite || count == 0)
      return {true, false, count};
    uint64_t next = reset ? word & ~MappingState::kCountMask : word - 1;
    const bool is_last = MappingState::is_unused(next);
    const bool takes_turn = is_last && on_last == OnLast::kTakeTurn;
    if (takes_turn && (word & MappingState::kTurn) && !OMPTARGET_PLANTED("state_turn_taken_twice"))
      return {true, false, count, false, true};
    if (takes_turn)
      next |= MappingState::kTurn;
    OMPTARGET_SCHED_POINT("release: read, not yet counted");
    if (state.compare_exchange_weak(word, MappingState::released(next), std::memory_order_acq_rel, kAcquire))
      return {true, is_last, MappingState::count(next), takes_turn};
  }
}

Released HostDataToTargetMap::release_if_last(MappingRef ref, OnLast on_last) {
  const bool takes_turn = on_last == OnLast::kTakeTurn;
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  do {
    if (MappingState::generation(word) != ref.generation && !OMPTARGET_PLANTED("state_early_release_of_another"))
      return {false, false, 0};
    const uint32_t count = MappingState::count(word);
    if ((count != 1 && !OMPTARGET_PLANTED("state_early_release_of_many")) || (word & MappingState::kHeld))
      return {true, false, count};
    if (takes_turn && (word & MappingState::kTurn))
      return {true, false, count, false, true};
    OMPTARGET_SCHED_POINT("release if last: read, not yet counted");
  } while (!state.compare_exchange_weak(word,
                                        MappingState::released((word - 1) | (takes_turn ? MappingState::kTurn : 0)),
                                        std::memory_order_acq_rel, kAcquire));
  return {true, true, 0, takes_turn};
}

void HostDataToTargetMap::note_base_pointer(MappingRef ref) {
  std::lock_guard lock(mutex_);
  Mapping &mapping = *ref.mapping;
  const OrderedIndex::Holder holder(index_, static_cast<uintptr_t>(mapping.begin())); // nobody removes it now
  if (mapping.generation() == ref.generation)
    ++extras_of(mapping).base_pointers;
}

bool HostDataToTargetMap::take_base_pointer(MappingRef ref, bool all) {
  std::lock_guard lock(mutex_);
  MappingExtras *const extras = ref.mapping->extras();
  if (!extras || ref.mapping->generation() != ref.generation || extras->base_pointers == 0)
    return false;
  --extras->base_pointers;
  for (; all && extras->base_pointers != 0; --extras->base_pointers)
    (void)release_unless_last(ref); // never the last one, unless the program has released more than it has mapped
  return true;
}

void HostDataToTargetMap::forget_base_pointers(MappingRef ref) {
  if (!ref.mapping->extras())
    return;
  std::lock_guard lock(mutex_);
  if (MappingExtras *const extras = ref.mapping->extras(); extras && ref.mapping->generation() == ref.generation)
    extras->base_pointers = 0;
}

Turn HostDataToTargetMap::take_turn(MappingRef ref) {
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  do {
    if (MappingState::generation(word) != ref.generation)
      return Turn::kGone;
    if (word & MappingState::kTurn)
      return MappingState::is_unused(word) ? Turn::kGone : Turn::kBusy;
  } while (!state.compare_exchange_weak(word, word | MappingState::kTurn, std::memory_order_acq_rel, kAcquire));
  return Turn::kTaken;
}

Removed HostDataToTargetMap::end_turn(MappingRef ref) {
  std::atomic<uint64_t> &state = ref.mapping->state_;
  Removed removed = end_use(ref, kReadyInTurn);
  uint64_t word = state.load(kAcquire);
  while (!removed.is_removed && MappingState::generation(word) == ref.generation && (word & MappingState::kTurn))
    if (state.compare_exchange_weak(word, word & ~kInTurn, std::memory_order_acq_rel, kAcquire)) {
      OMPTARGET_SCHED_POINT("leave: others use it");
      if (!OMPTARGET_PLANTED("state_nobody_removes"))
        removed = remove_if_unused(ref); // the constructs that used it may be gone, and have left it to this one
      break;
    }
  if (!OMPTARGET_PLANTED("state_turn_end_untold"))
    notify_waiters(state);
  return removed;
}

Released HostDataToTargetMap::release_hold(MappingRef ref, bool reset, OnLast on_last) {
  std::lock_guard lock(mutex_);
  Mapping &mapping = *ref.mapping;
  uint64_t word = mapping.state_.load(kAcquire);
  if (MappingState::generation(word) != ref.generation)
    return {false, false, 0};
  const uint32_t holds = mapping.hold_count();
  if (holds == 0)
    return {true, false, MappingState::count(word)};
  const uint32_t left = reset ? 0 : holds - 1;
  if (left != 0) {
    extras_of(mapping).hold_count.store(left, kRelaxed);
    return {true, false, MappingState::count(word)};
  }
  uint64_t next;
  bool is_last, takes_turn;
  do {
    next = word & ~MappingState::kHeld;
    is_last = MappingState::is_unused(next);
    takes_turn = is_last && on_last == OnLast::kTakeTurn;
    if (takes_turn && (word & MappingState::kTurn))
      return {true, false, MappingState::count(word), false, true};
    if (takes_turn)
      next |= MappingState::kTurn;
  } while (
      !mapping.state_.compare_exchange_weak(word, MappingState::released(next), std::memory_order_acq_rel, kAcquire));
  extras_of(mapping).hold_count.store(0, kRelaxed); // its extras stay while mutex_ is held
  return {true, is_last, MappingState::count(next), takes_turn};
}

bool HostDataToTargetMap::pin(MappingRef ref) {
  std::lock_guard lock(mutex_);
  uint64_t before = 0;
  if (!set_bit(ref, MappingState::kPinned, before))
    return false;
  MappingExtras &extras = extras_of(*ref.mapping);
  extras.pins = OMPTARGET_PLANTED("state_pins_not_counted") ? 1 : extras.pins + 1;
  return true;
}

Removed HostDataToTargetMap::unpin(MappingRef ref) {
  std::lock_guard lock(mutex_);
  MappingExtras *const extras = ref.mapping->extras();
  if (ref.mapping->generation() != ref.generation || !extras || extras->pins == 0 || --extras->pins != 0)
    return {}; // in the child of a fork it may have been unpinned already
  ref.mapping->state_.fetch_and(~MappingState::kPinned, std::memory_order_acq_rel);
  return remove_unless_used(ref, Mutex::kHeld);
}

bool HostDataToTargetMap::borrow(MappingRef ref) {
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  do {
    if (MappingState::generation(word) != ref.generation)
      return false;
    if (MappingState::borrowers(word) == MappingState::kManyBorrowers) [[unlikely]]
      return borrow_with_many(ref);
  } while (!state.compare_exchange_weak(word, word + MappingState::kBorrower, std::memory_order_acq_rel, kAcquire));
  return true;
}

/// Only who holds mutex_ brings the number in the state word down from its limit.
bool HostDataToTargetMap::borrow_with_many(MappingRef ref) {
  std::lock_guard lock(mutex_);
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  do {
    if (MappingState::generation(word) != ref.generation)
      return false;
    if (MappingState::borrowers(word) == MappingState::kManyBorrowers) {
      ++extras_of(*ref.mapping).more_borrowers;
      return true;
    }
  } while (!state.compare_exchange_weak(word, word + MappingState::kBorrower, std::memory_order_acq_rel, kAcquire));
  return true;
}

Removed HostDataToTargetMap::give_back(MappingRef ref) {
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  for (;;) {
    if (MappingState::borrowers(word) != MappingState::kManyBorrowers) [[likely]] {
      if (state.compare_exchange_weak(word, word - MappingState::kBorrower, std::memory_order_acq_rel, kAcquire))
        break;
    } else {
      OMPTARGET_SCHED_POINT("give back: one of many");
      if (give_back_one_of_many(ref))
        return {};
      word = state.load(kAcquire);
    }
  }
  Removed removed;
  const bool is_removed = MappingState::is_removed(word) || OMPTARGET_PLANTED("state_freed_twice");
  const bool was_last = MappingState::borrowers(word) == 1 || OMPTARGET_PLANTED("state_freed_by_the_first_borrower");
  if (is_removed && was_last) [[unlikely]] {
    OMPTARGET_SCHED_POINT("give back: the last of a removed mapping");
    recycle_apart(*ref.mapping, removed, Mutex::kFree);
  }
  return removed;
}

/// False if others have given theirs back meanwhile: few are left, and nothing has happened.
bool HostDataToTargetMap::give_back_one_of_many(MappingRef ref) {
  std::lock_guard lock(mutex_);
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  if (MappingState::borrowers(word) != MappingState::kManyBorrowers)
    return false;
  MappingExtras *const extras = ref.mapping->extras();
  if (extras && extras->more_borrowers != 0) {
    --extras->more_borrowers;
    return true;
  }
  while (!state.compare_exchange_weak(word, word - MappingState::kBorrower, std::memory_order_acq_rel, kAcquire)) {
  } // only a thread that holds mutex_ brings the number down from its limit
  return true;
}

} // namespace omptarget
