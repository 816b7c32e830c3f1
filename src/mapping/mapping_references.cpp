// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who keeps a mapping, and how: references of both kinds, pins, and those who borrow it.

#include "base/sched_point.h"
#include "mapping/host_data_to_target_map.h"

namespace omptarget {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;

} // namespace

bool HostDataToTargetMap::retain(MappingRef ref, Counter counter) {
  if (counter == Counter::kHold)
    return retain_hold(ref);
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  do {
    if (MappingState::generation(word) != ref.generation)
      return false;
    if (MappingState::count(word) == MappingState::kInfinite)
      return true;
    OMPTARGET_SCHED_POINT("retain: read, not yet counted");
  } while (!state.compare_exchange_weak(word, word + 1, std::memory_order_acq_rel, kAcquire));
  return true;
}

bool HostDataToTargetMap::retain_hold(MappingRef ref) {
  std::lock_guard lock(mutex_);
  if (!set_bit(ref, MappingState::kHeld))
    return false;
  extras_of(*ref.mapping).hold_count.fetch_add(1, kRelaxed);
  return true;
}

/// False if the mapping has been removed since it was found.
bool HostDataToTargetMap::set_bit(MappingRef ref, uint64_t bit) {
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  do {
    if (MappingState::generation(word) != ref.generation)
      return false;
  } while (!state.compare_exchange_weak(word, word | bit, std::memory_order_acq_rel, kAcquire));
  return true;
}

/// Releasing and pinning are one step: others, who need no lock for that, may remove what is unused.
Released HostDataToTargetMap::release(MappingRef ref, Counter counter, bool reset, bool pins_last) {
  if (counter == Counter::kHold)
    return release_hold(ref, reset, pins_last);
  std::unique_lock<std::mutex> lock(mutex_, std::defer_lock); // for the number of pins
  std::atomic<uint64_t> &state = ref.mapping->state_;
  for (uint64_t word = state.load(kAcquire);;) {
    if (MappingState::generation(word) != ref.generation)
      return {false, false, 0};
    const uint32_t count = MappingState::count(word);
    if (count == MappingState::kInfinite || count == 0)
      return {true, false, count};
    uint64_t next = reset ? word & ~MappingState::kCountMask : word - 1;
    const bool is_last = MappingState::is_unused(next);
    const bool is_pinned = is_last && pins_last;
    if (is_pinned && !lock.owns_lock())
      lock.lock();
    if (is_pinned)
      next |= MappingState::kPinned;
    OMPTARGET_SCHED_POINT("release: read, not yet counted");
    if (!state.compare_exchange_weak(word, next, std::memory_order_acq_rel, kAcquire))
      continue;
    if (is_pinned)
      ++extras_of(*ref.mapping).pins;
    return {true, is_last, MappingState::count(next), is_pinned};
  }
}

Released HostDataToTargetMap::release_if_last(MappingRef ref) {
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  do {
    if (MappingState::generation(word) != ref.generation)
      return {false, false, 0};
    const uint32_t count = MappingState::count(word);
    if (count != 1 || (word & MappingState::kHeld))
      return {true, false, count};
    OMPTARGET_SCHED_POINT("release if last: read, not yet counted");
  } while (!state.compare_exchange_weak(word, word - 1, std::memory_order_acq_rel, kAcquire));
  return {true, true, 0};
}

Released HostDataToTargetMap::release_hold(MappingRef ref, bool reset, bool pins_last) {
  std::lock_guard lock(mutex_);
  Mapping &mapping = *ref.mapping;
  uint64_t word = mapping.state_.load(kAcquire);
  if (MappingState::generation(word) != ref.generation)
    return {false, false, 0};
  const uint32_t holds = mapping.hold_count();
  if (holds == 0)
    return {true, false, MappingState::count(word)};
  const uint32_t left = reset ? 0 : holds - 1;
  extras_of(mapping).hold_count.store(left, kRelaxed);
  if (left != 0)
    return {true, false, MappingState::count(word)};
  uint64_t next;
  do {
    next = word & ~MappingState::kHeld;
    if (pins_last && MappingState::is_unused(next))
      next |= MappingState::kPinned;
  } while (!mapping.state_.compare_exchange_weak(word, next, std::memory_order_acq_rel, kAcquire));
  const bool is_last = MappingState::is_unused(next);
  if (is_last && pins_last)
    ++extras_of(mapping).pins;
  return {true, is_last, MappingState::count(next), is_last && pins_last};
}

bool HostDataToTargetMap::pin(MappingRef ref) {
  std::lock_guard lock(mutex_);
  if (!set_bit(ref, MappingState::kPinned))
    return false;
  ++extras_of(*ref.mapping).pins;
  return true;
}

Removed HostDataToTargetMap::unpin(MappingRef ref) {
  std::lock_guard lock(mutex_);
  if (ref.mapping->generation() != ref.generation || --extras_of(*ref.mapping).pins != 0)
    return {};
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
  do {
    if (MappingState::borrowers(word) == MappingState::kManyBorrowers) [[unlikely]]
      return give_back_one_of_many(ref);
  } while (!state.compare_exchange_weak(word, word - MappingState::kBorrower, std::memory_order_acq_rel, kAcquire));
  Removed removed;
  if (MappingState::is_removed(word) && MappingState::borrowers(word) == 1) [[unlikely]] {
    OMPTARGET_SCHED_POINT("give back: the last of a removed mapping");
    recycle_apart(*ref.mapping, removed, Mutex::kFree);
  }
  return removed;
}

Removed HostDataToTargetMap::give_back_one_of_many(MappingRef ref) {
  std::lock_guard lock(mutex_);
  MappingExtras *const extras = ref.mapping->extras();
  if (extras && extras->more_borrowers != 0)
    --extras->more_borrowers;
  else
    ref.mapping->state_.fetch_sub(MappingState::kBorrower, std::memory_order_acq_rel); // not the last one
  return {};
}

} // namespace omptarget
