// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/mapping.h"

#include <cinttypes>

#include "base/atomic_wait.h"
#include "base/format.h"
#include "base/memory_orders.h"
#include "mapping/variable_name.h"
#include "observe/info.h"

namespace omptarget {

namespace {

void warn_of_infinite_count(const Mapping &mapping) {
  const std::string variable = variable_text(mapping.name(), mapping.size());
  print_line(format("omptarget warning: host address 0x%016" PRIxPTR " (%" PRIu64
                    " bytes) has %u references: they are no longer counted, and the data stay on the device%s%s",
                    static_cast<uintptr_t>(mapping.begin()), mapping.size(), MappingState::kInfinite,
                    variable.empty() ? "" : ": ", variable.c_str()));
}

} // namespace

Retained MappingRef::retain() const {
  uint64_t word = mapping->state();
  do {
    if (!is_of(word) && !OMPTARGET_PLANTED("state_retain_any_generation"))
      return {};
    if (MappingState::count(word) >= MappingState::kInfinite - 1)
      return retain_at_limit();
    OMPTARGET_SCHED_POINT("retain: read, not yet counted");
  } while (!mapping->change_state(word, word + 1));
  return {true, (word & MappingState::kLastReleased) != 0};
}

/// The count is infinite, or may become so by this reference: the thread that counts it says so, and nobody else ever
/// does.
Retained MappingRef::retain_at_limit() const {
  uint64_t word = mapping->state();
  do {
    if (!is_of(word))
      return {};
    if (MappingState::count(word) == MappingState::kInfinite)
      return {true};
  } while (!mapping->change_state(word, word + 1));
  if (MappingState::count(word) == MappingState::kInfinite - 1)
    warn_of_infinite_count(*mapping);
  return {true}; // others have references, so that no turn begins with the last one
}

bool MappingRef::set_bit(uint64_t bit, uint64_t &word) const {
  word = mapping->state();
  do {
    if (!is_of(word))
      return false;
  } while (!mapping->change_state(word, word | bit));
  return true;
}

/// Releasing and taking the turn are one step: others may remove what is unused and in nobody's turn.
Released MappingRef::release(bool reset, OnLast on_last) const {
  for (uint64_t word = mapping->state();;) {
    if (!is_of(word) && !OMPTARGET_PLANTED("state_release_any_generation"))
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
    if (mapping->change_state(word, MappingState::released(next)))
      return {true, is_last, MappingState::count(next), takes_turn};
  }
}

Released MappingRef::release_if_last(OnLast on_last) const {
  const bool takes_turn = on_last == OnLast::kTakeTurn;
  const uint64_t turn = takes_turn ? MappingState::kTurn : 0;
  uint64_t word = mapping->state();
  do {
    if (!is_of(word) && !OMPTARGET_PLANTED("state_early_release_of_another"))
      return {false, false, 0};
    const uint32_t count = MappingState::count(word);
    if ((count != 1 && !OMPTARGET_PLANTED("state_early_release_of_many")) || (word & MappingState::kHeld))
      return {true, false, count};
    if (word & turn)
      return {true, false, count, false, true};
    OMPTARGET_SCHED_POINT("release if last: read, not yet counted");
  } while (!mapping->change_state(word, MappingState::released((word - 1) | turn)));
  return {true, true, 0, takes_turn};
}

Turn MappingRef::take_turn() const {
  uint64_t word = mapping->state();
  do {
    if (!is_of(word))
      return Turn::kGone;
    if (word & MappingState::kTurn)
      return MappingState::is_unused(word) ? Turn::kGone : Turn::kBusy;
  } while (!mapping->change_state(word, word | MappingState::kTurn));
  return Turn::kTaken;
}

bool MappingRef::release_for_turn() const {
  uint64_t word = mapping->state();
  do {
    const uint64_t use = MappingState::use(word) & ~MappingState::kArriving; // the caller's own data may be on the way
    const bool is_last = use == MappingState::kReadyAndLast || OMPTARGET_PLANTED("state_releasing_of_used");
    if (!is_of(word) || !is_last)
      return false;
  } while (!mapping->change_state(word, (word - 1) | MappingState::kInTurn));
  OMPTARGET_SCHED_POINT("exit: released");
  return true;
}

void MappingRef::wait_for_turn() const {
  for (;;) {
    const uint64_t word = mapping->state();
    if (!is_of(word) || !(word & MappingState::kTurn))
      return;
    wait_while_equal(mapping->state_, word);
  }
}

bool MappingRef::wait_for(uint64_t state_bit) const {
  for (;;) {
    const uint64_t word = mapping->state_.load(OMPTARGET_ORDER("state_wait_relaxed", kAcquire));
    if (!is_of(word))
      return false;
    if (word & state_bit)
      return true;
    wait_while_equal(mapping->state_, word);
  }
}

bool MappingRef::publish_storage(DevicePtr allocation, uint8_t padding, bool is_ready) const {
  mapping->target_begin_.store(allocation + padding, kRelease);
  mapping->origin_.store((mapping->origin_.load(kRelaxed) & ~Mapping::kPaddingMask) | padding, kRelease);
  OMPTARGET_SCHED_POINT("publish: stored, not yet told");
  const uint64_t told = MappingState::kStorage | (is_ready ? MappingState::kReady : 0);
  const uint64_t before = mapping->state_.fetch_or(told, OMPTARGET_ORDER("state_storage_relaxed", kAcqRel));
  if (!OMPTARGET_PLANTED("state_storage_untold"))
    notify_waiters(mapping->state_);
  return !MappingState::is_unused(before);
}

bool MappingRef::publish_in_place(bool is_ready) const {
  const DevicePtr place = device_ptr(raw(mapping->begin()));
  return publish_storage(place + -static_cast<int64_t>(Mapping::kNotOwn), Mapping::kNotOwn, is_ready);
}

bool MappingRef::publish_ready(const Arrival *arrival) const {
  const uint64_t padding = mapping->origin_.load(kRelaxed) & Mapping::kPaddingMask;
  mapping->origin_.store(Mapping::origin_of(arrival) | padding, kRelease); // nobody is creating it
  const uint64_t arriving = arrival ? MappingState::kArriving : 0;
  OMPTARGET_SCHED_POINT("publish: not yet ready");
  const uint64_t before = mapping->state_.fetch_or(MappingState::kStorage | MappingState::kReady | arriving, kAcqRel);
  notify_waiters(mapping->state_);
  return !MappingState::is_unused(before);
}

bool MappingRef::publish_copied() const {
  OMPTARGET_SCHED_POINT("publish: not yet ready");
  const uint64_t before = mapping->state_.fetch_or(MappingState::kReady, kAcqRel);
  notify_waiters(mapping->state_);
  return !MappingState::is_unused(before);
}

Arrival *MappingRef::use_arrival() const {
  const uint64_t origin = mapping->origin_.load(kAcquire);
  if (!is_arriving())
    return nullptr;
  auto *const arrival = reinterpret_cast<Arrival *>(origin >> Mapping::kPaddingBits);
  OMPTARGET_SCHED_POINT("arrival: found, not yet used");
  return arrival->use() ? arrival : nullptr;
}

void MappingRef::end_arrival() const {
  uint64_t word = mapping->state();
  while (is_of(word) && (word & MappingState::kArriving) &&
         !mapping->change_state(word, word & ~MappingState::kArriving)) {
  }
}

} // namespace omptarget
