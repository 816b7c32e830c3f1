// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/rare_uses.h"

namespace omptarget {

uint32_t Mapping::hold_count() const {
  const MappingExtras *const extras = this->extras();
  return extras ? extras->hold_count.load(std::memory_order_relaxed) : 0;
}

MappingExtras &RareUses::of(Mapping &mapping) {
  if (MappingExtras *const extras = mapping.extras())
    return *extras;
  MappingExtras *extras = free_;
  if (extras)
    free_ = extras->next_free;
  else
    extras = extras_.make();
  mapping.extras_.store(reinterpret_cast<uintptr_t>(extras), std::memory_order_release);
  return *extras;
}

MappingExtras *RareUses::of(MappingRef ref) {
  const OrderedIndex::Holder holder(index_, static_cast<uintptr_t>(ref.mapping->begin())); // nobody removes it now
  if (ref.is_removed() && !OMPTARGET_PLANTED("state_extras_of_a_free_one"))
    return nullptr;
  return &of(*ref.mapping);
}

/// Returns the extras that the mapping has, or null.
MappingExtras *RareUses::known(MappingRef ref) { return ref.is_removed() ? nullptr : ref.mapping->extras(); }

void RareUses::recycle(Mapping &mapping) {
  MappingExtras &extras = *mapping.extras();
  extras.hold_count.store(0, std::memory_order_relaxed);
  extras.more_borrowers = 0;
  extras.base_pointers = 0;
  mapping.extras_.store(0, std::memory_order_relaxed);
  extras.next_free = free_;
  free_ = &extras;
}

Retained RareUses::retain_hold(MappingRef ref) {
  std::lock_guard lock(mutex_);
  uint64_t before = 0;
  if (!ref.set_bit(MappingState::kHeld, before))
    return {};
  of(*ref.mapping).hold_count.fetch_add(1, std::memory_order_relaxed);
  return {true, (before & MappingState::kLastReleased) != 0};
}

Released RareUses::release_hold(MappingRef ref, bool reset, OnLast on_last) {
  std::lock_guard lock(mutex_);
  uint64_t word = ref.mapping->state();
  if (!ref.is_of(word))
    return {false, false, 0};
  const uint32_t holds = ref.mapping->hold_count();
  if (holds == 0)
    return {true, false, MappingState::count(word)};
  const uint32_t left = reset ? 0 : holds - 1;
  if (left != 0) {
    of(*ref.mapping).hold_count.store(left, std::memory_order_relaxed);
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
  } while (!ref.mapping->change_state(word, MappingState::released(next)));
  of(*ref.mapping).hold_count.store(0, std::memory_order_relaxed); // its extras stay while the mutex is held
  return {true, is_last, MappingState::count(next), takes_turn};
}

void RareUses::note_base_pointer(MappingRef ref) {
  std::lock_guard lock(mutex_);
  if (MappingExtras *const extras = of(ref))
    ++extras->base_pointers;
}

bool RareUses::take_base_pointer(MappingRef ref, bool all) {
  std::lock_guard lock(mutex_);
  MappingExtras *const extras = known(ref);
  if (!extras || extras->base_pointers == 0)
    return false;
  --extras->base_pointers;
  for (; all && extras->base_pointers != 0; --extras->base_pointers)
    (void)ref.release_unless_last(); // never the last one, unless the program has released more than it has mapped
  return true;
}

void RareUses::forget_base_pointers(MappingRef ref) {
  if (!ref.mapping->extras())
    return;
  std::lock_guard lock(mutex_);
  if (MappingExtras *const extras = known(ref))
    extras->base_pointers = 0;
}

bool RareUses::borrow_with_many(MappingRef ref) {
  std::lock_guard lock(mutex_);
  uint64_t word = ref.mapping->state();
  do {
    if (!ref.is_of(word))
      return false;
    if (MappingState::borrowers(word) == MappingState::kManyBorrowers) {
      ++of(*ref.mapping).more_borrowers;
      return true;
    }
  } while (!ref.mapping->change_state(word, word + MappingState::kBorrower));
  return true;
}

bool RareUses::give_back_one_of_many(MappingRef ref) {
  std::lock_guard lock(mutex_);
  uint64_t word = ref.mapping->state();
  if (MappingState::borrowers(word) != MappingState::kManyBorrowers)
    return false;
  MappingExtras *const extras = ref.mapping->extras();
  if (extras && extras->more_borrowers != 0) {
    --extras->more_borrowers;
    return true;
  }
  while (!ref.mapping->change_state(word, word - MappingState::kBorrower)) {
  } // only a thread that holds the mutex brings the number down from its limit
  return true;
}

} // namespace omptarget
