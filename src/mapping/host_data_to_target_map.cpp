// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/host_data_to_target_map.h"

#include <algorithm>

#include "base/atomic_wait.h"
#include "base/sched_point.h"

namespace omptarget {

namespace {

constexpr int kReadAttempts = 64;

/// Of a mapping that is not in the table, shifted to its place in the state word.
uint64_t next_live_generation(uint64_t word) {
  return static_cast<uint64_t>((MappingState::generation(word) | 1u) + 1) << MappingState::kGenerationShift;
}

/// Removing changes the state before the index: who looks in between must not take the dead mapping for a new one.
bool is_dead(const Found &found) { return found.ref && (found.ref.generation & 1) != 0; }

/// The state word of a mapping that goes: only those who borrowed it are still counted.
uint64_t removed_word(uint64_t word) {
  return static_cast<uint64_t>(MappingState::generation(word) + 1) << MappingState::kGenerationShift |
         static_cast<uint64_t>(MappingState::borrowers(word)) << MappingState::kBorrowersShift;
}

/// Of a reference that keeps the mapping's storage: the mapping may have been removed, but not used again.
bool is_kept(uint64_t word, MappingRef ref) { return (MappingState::generation(word) | 1u) == (ref.generation | 1u); }

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

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

bool Mapping::wait_for(uint64_t state_bit, uint32_t generation) const {
  for (;;) {
    const uint64_t word = state_.load(kAcquire);
    if (MappingState::generation(word) != generation)
      return false;
    if (word & state_bit)
      return true;
    wait_while_equal(state_, word);
  }
}

Found HostDataToTargetMap::judge(const OrderedIndex::Neighbours &around, HostPtr begin, int64_t size) {
  const HostPtr end = begin + size;
  if (const Mapping *below = around.below) {
    const HostPtr below_end = below->end();
    if (size == 0 ? begin < std::max(below_end, below->base()) : begin < below_end)
      return found_at(*below, size == 0 || end <= below_end, true);
  }
  if (const Mapping *above = around.above)
    if (size == 0 ? begin >= above->base() : end > above->begin())
      return found_at(*above, size == 0, true);
  return {};
}

Found HostDataToTargetMap::find(HostPtr begin, int64_t size) const {
  for (int attempt = 0; attempt < kReadAttempts; ++attempt) {
    const uint32_t version = index_.begin_read();
    if (version & 1)
      continue;
    const Found found = judge(index_.around(static_cast<uintptr_t>(begin)), begin, size);
    if (index_.end_read(version) && !is_dead(found)) [[likely]]
      return found;
  }
  std::lock_guard lock(mutex_);
  return look(begin, size);
}

Found HostDataToTargetMap::look(HostPtr begin, int64_t size) const {
  return judge(index_.around(static_cast<uintptr_t>(begin)), begin, size);
}

/// A guess that holds something else is replaced once that has been removed: so threads that look up many data do not write to
/// what all of them read.
MappingRef HostDataToTargetMap::arrived_of(const Found &found, HostPtr begin) {
  if (!found.is_contained || !MappingState::has_arrived(found.state))
    return {};
  const Mapping *const guess = recent_.guess(begin);
  if (!guess || MappingState::is_removed(guess->state()))
    recent_.note(begin, found.ref.mapping);
  return found.ref;
}

MappingRef HostDataToTargetMap::search_arrived(HostPtr begin, int64_t size) { return arrived_of(find(begin, size), begin); }

MappingRef HostDataToTargetMap::search_and_retain(HostPtr begin, int64_t size, bool &is_absent) {
  for (;;) {
    const Found found = find(begin, size);
    const MappingRef ref = arrived_of(found, begin);
    if (!ref)
      is_absent = !found.ref;
    if (!ref || retain(ref, Counter::kDynamic))
      return ref; // otherwise removed since it was found
  }
}

Mapping *HostDataToTargetMap::new_mapping() {
  if (!free_)
    return mappings_.make();
  Mapping *mapping = free_;
  free_ = mapping->next_free_;
  return mapping;
}

void HostDataToTargetMap::fill(Mapping &mapping, const NewRange &range) {
  mapping.begin_.store(range.begin, kRelease);
  mapping.end_.store(range.end, kRelease);
  mapping.base_.store(range.base, kRelease);
  mapping.target_begin_.store(DevicePtr::kNull, kRelease);
  mapping.allocation_.store(DevicePtr::kNull, kRelaxed);
  mapping.name_.store(range.name, kRelaxed);
  mapping.creator_.store(range.creator, kRelaxed);
  mapping.pins_ = 0;
  mapping.more_borrowers_ = 0;
}

Inserted HostDataToTargetMap::insert(const NewRange &range) {
  std::lock_guard lock(mutex_);
  const Found older = look(range.begin, range.end - range.begin);
  if (older.ref)
    return {older, false};
  Mapping *mapping = new_mapping();
  const uint64_t generation = next_live_generation(mapping->state_.load(kRelaxed));
  const bool holds = range.counter == Counter::kHold;
  index_.begin_write();
  fill(*mapping, range);
  mapping->hold_count_.store(holds ? 1 : 0, kRelaxed);
  mapping->state_.store(generation | (holds ? MappingState::kHeld : 1), kRelease);
  index_.insert(static_cast<uintptr_t>(range.begin), mapping);
  index_.end_write();
  recent_.note(range.begin, mapping);
  return {found_at(*mapping, true, true), true};
}

bool HostDataToTargetMap::insert_infinite(const NewRange &range, DevicePtr target) {
  std::lock_guard lock(mutex_);
  if (look(range.begin, range.end - range.begin).ref)
    return false;
  Mapping *mapping = new_mapping();
  const uint64_t generation = next_live_generation(mapping->state_.load(kRelaxed));
  index_.begin_write();
  fill(*mapping, range);
  mapping->target_begin_.store(target, kRelease);
  mapping->hold_count_.store(0, kRelaxed);
  mapping->state_.store(generation | MappingState::kInfinite | MappingState::kStorage | MappingState::kReady, kRelease);
  index_.insert(static_cast<uintptr_t>(range.begin), mapping);
  index_.end_write();
  recent_.note(range.begin, mapping);
  return true;
}

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
  } while (!state.compare_exchange_weak(word, word + 1, std::memory_order_acq_rel, kAcquire));
  return true;
}

bool HostDataToTargetMap::retain_hold(MappingRef ref) {
  std::lock_guard lock(mutex_);
  if (ref.mapping->generation() != ref.generation)
    return false;
  ref.mapping->hold_count_.fetch_add(1, kRelaxed);
  ref.mapping->state_.fetch_or(MappingState::kHeld, std::memory_order_acq_rel);
  return true;
}

Released HostDataToTargetMap::release(MappingRef ref, Counter counter, bool reset, bool pins_last) {
  if (counter == Counter::kHold)
    return release_hold(ref, reset, pins_last);
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  uint64_t next;
  do {
    if (MappingState::generation(word) != ref.generation)
      return {false, false, 0};
    const uint32_t count = MappingState::count(word);
    if (count == MappingState::kInfinite || count == 0)
      return {true, false, count};
    next = reset ? word & ~MappingState::kCountMask : word - 1;
    if (pins_last && MappingState::is_unused(next))
      return release_and_pin(ref, reset);
  } while (!state.compare_exchange_weak(word, next, std::memory_order_acq_rel, kAcquire));
  return {true, MappingState::is_unused(next), MappingState::count(next)};
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
  } while (!state.compare_exchange_weak(word, word - 1, std::memory_order_acq_rel, kAcquire));
  return {true, true, 0};
}

/// With the lock held nobody removes the mapping between the two steps.
Released HostDataToTargetMap::release_and_pin(MappingRef ref, bool reset) {
  std::lock_guard lock(mutex_);
  Released released = release(ref, Counter::kDynamic, reset);
  if (released.reached_zero) {
    OMPTARGET_SCHED_POINT("release: zero, not yet pinned");
    ++ref.mapping->pins_;
    released.is_pinned = true;
  }
  return released;
}

Released HostDataToTargetMap::release_hold(MappingRef ref, bool reset, bool pins_last) {
  std::lock_guard lock(mutex_);
  Mapping &mapping = *ref.mapping;
  if (mapping.generation() != ref.generation)
    return {false, false, 0};
  const uint32_t holds = mapping.hold_count_.load(kRelaxed);
  const uint32_t left = reset || holds == 0 ? 0 : holds - 1;
  mapping.hold_count_.store(left, kRelaxed);
  uint64_t word = mapping.state_.load(kRelaxed);
  if (left == 0 && holds != 0)
    word = mapping.state_.fetch_and(~MappingState::kHeld, std::memory_order_acq_rel) & ~MappingState::kHeld;
  Released released{true, holds != 0 && MappingState::is_unused(word), MappingState::count(word)};
  if (released.reached_zero && pins_last) {
    ++mapping.pins_;
    released.is_pinned = true;
  }
  return released;
}

/// Takes the mapping out of the table; word: its state, of a removed one.
Removed HostDataToTargetMap::unlink(Mapping &mapping, uint64_t word) {
  OMPTARGET_SCHED_POINT("remove: marked, not yet out of the index");
  Removed removed;
  removed.is_removed = true;
  removed.begin = mapping.begin();
  removed.target_begin = mapping.target_begin();
  removed.size = mapping.size();
  removed.name = mapping.name();
  index_.begin_write();
  index_.erase(static_cast<uintptr_t>(removed.begin));
  index_.end_write();
  if (MappingState::borrowers(word) == 0)
    recycle(mapping, removed);
  return removed;
}

/// Nobody uses a removed mapping any more: it may be used again.
void HostDataToTargetMap::recycle(Mapping &mapping, Removed &removed) {
  removed.is_free = true;
  removed.allocation = mapping.allocation();
  removed.begin = mapping.begin();
  removed.size = mapping.size();
  removed.name = mapping.name();
  removed.arrival = std::move(mapping.arrival_);
  if (mapping.attached_ && !mapping.attached_->empty()) {
    mapping.attached_->clear();
    settled_.notify_all();
  }
  mapping.attached_count_.store(0, kRelaxed);
  mapping.next_free_ = free_;
  free_ = &mapping;
}

bool HostDataToTargetMap::pin(MappingRef ref) {
  std::lock_guard lock(mutex_);
  if (ref.mapping->generation() != ref.generation)
    return false;
  ++ref.mapping->pins_;
  return true;
}

Removed HostDataToTargetMap::unpin(MappingRef ref) {
  std::lock_guard lock(mutex_);
  if (ref.mapping->generation() != ref.generation || --ref.mapping->pins_ != 0)
    return {};
  return remove_unless_used(ref);
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

/// Only who holds the lock brings the number in the state word down from its limit.
bool HostDataToTargetMap::borrow_with_many(MappingRef ref) {
  std::lock_guard lock(mutex_);
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  do {
    if (MappingState::generation(word) != ref.generation)
      return false;
    if (MappingState::borrowers(word) == MappingState::kManyBorrowers) {
      ++ref.mapping->more_borrowers_;
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
    std::lock_guard lock(mutex_);
    recycle(*ref.mapping, removed);
  }
  return removed;
}

Removed HostDataToTargetMap::give_back_one_of_many(MappingRef ref) {
  std::lock_guard lock(mutex_);
  if (ref.mapping->more_borrowers_ != 0)
    --ref.mapping->more_borrowers_;
  else
    ref.mapping->state_.fetch_sub(MappingState::kBorrower, std::memory_order_acq_rel); // not the last one
  return {};
}

Removed HostDataToTargetMap::remove_if_unused(MappingRef ref) {
  if (ref.mapping->generation() != ref.generation)
    return {};
  std::lock_guard lock(mutex_);
  if (ref.mapping->generation() != ref.generation || ref.mapping->pins_ != 0)
    return {}; // who unpins it last removes it
  return remove_unless_used(ref);
}

Removed HostDataToTargetMap::remove_unless_used(MappingRef ref) {
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  uint64_t next;
  do {
    if (MappingState::generation(word) != ref.generation || !MappingState::is_unused(word) ||
        !(word & MappingState::kReady))
      return {};
    next = removed_word(word);
  } while (!state.compare_exchange_weak(word, next, std::memory_order_acq_rel, kAcquire));
  return unlink(*ref.mapping, next);
}

Removed HostDataToTargetMap::remove_infinite(HostPtr begin, const void *creator) {
  std::lock_guard lock(mutex_);
  const Found found = look(begin, 1);
  if (!found.is_contained || found.begin != begin || found.ref.mapping->creator() != creator)
    return {};
  std::atomic<uint64_t> &state = found.ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  do {
    if (MappingState::count(word) != MappingState::kInfinite || (word & MappingState::kHeld))
      return {};
  } while (!state.compare_exchange_weak(word, removed_word(word), std::memory_order_acq_rel, kAcquire));
  return unlink(*found.ref.mapping, removed_word(word));
}

void HostDataToTargetMap::publish_storage(Mapping &mapping, DevicePtr target_begin, DevicePtr allocation) {
  mapping.target_begin_.store(target_begin, kRelease);
  mapping.allocation_.store(allocation, kRelaxed);
  mapping.state_.fetch_or(MappingState::kStorage, std::memory_order_acq_rel);
  notify_waiters(mapping.state_);
}

bool HostDataToTargetMap::publish_ready(MappingRef ref, std::shared_ptr<void> arrival) {
  Mapping &mapping = *ref.mapping;
  mapping.creator_.store(nullptr, kRelaxed);
  uint64_t bits = MappingState::kStorage | MappingState::kReady;
  if (arrival) {
    std::lock_guard lock(mutex_);
    mapping.arrival_ = std::move(arrival);
    bits |= MappingState::kArriving;
  }
  const uint64_t before = mapping.state_.fetch_or(bits, std::memory_order_acq_rel);
  notify_waiters(mapping.state_);
  return !MappingState::is_unused(before);
}

std::shared_ptr<void> HostDataToTargetMap::arrival(MappingRef ref) const {
  if (!(ref.mapping->state() & MappingState::kArriving))
    return nullptr;
  std::lock_guard lock(mutex_);
  return ref.mapping->generation() == ref.generation ? ref.mapping->arrival_ : nullptr;
}

void HostDataToTargetMap::end_arrival(MappingRef ref) {
  std::shared_ptr<void> event; // ends after the lock: its end calls out
  std::lock_guard lock(mutex_);
  if (ref.mapping->generation() != ref.generation)
    return;
  event = std::move(ref.mapping->arrival_);
  ref.mapping->state_.fetch_and(~MappingState::kArriving, std::memory_order_acq_rel);
}

Removed HostDataToTargetMap::discard(MappingRef ref) {
  Removed removed;
  {
    std::lock_guard lock(mutex_);
    std::atomic<uint64_t> &state = ref.mapping->state_;
    uint64_t word = state.load(kAcquire);
    do {
      if (MappingState::generation(word) != ref.generation || (word & MappingState::kReady))
        return removed;
    } while (!state.compare_exchange_weak(word, removed_word(word), std::memory_order_acq_rel, kAcquire));
    removed = unlink(*ref.mapping, removed_word(word));
  }
  notify_waiters(ref.mapping->state_);
  return removed;
}

bool HostDataToTargetMap::note_attached(MappingRef ref, const AttachedPointer &pointer, bool waits) {
  if (written_.has(ref, pointer))
    return false;
  std::unique_lock lock(mutex_);
  Mapping &mapping = *ref.mapping;
  if (mapping.generation() != ref.generation)
    return false;
  if (!mapping.attached_)
    mapping.attached_ = std::make_unique<std::map<HostPtr, AttachedPointer>>();
  const auto [place, is_new] = mapping.attached_->try_emplace(pointer.host_address, pointer);
  if (is_new) {
    mapping.attached_count_.store(static_cast<uint32_t>(mapping.attached_->size()), kRelease);
    return true;
  }
  AttachedPointer &known = place->second;
  const bool is_same = known.device_value == pointer.device_value && known.host_value == pointer.host_value;
  const bool is_under_way = known.writer && known.writer != pointer.writer;
  if (is_same && is_under_way && waits) {
    settled_.wait(lock, [&] {
      if (!is_kept(mapping.state(), ref))
        return true;
      const auto now = mapping.attached_->find(pointer.host_address);
      return now == mapping.attached_->end() || !now->second.writer;
    });
    return false;
  }
  if (is_same && !is_under_way) {
    if (!known.writer)
      written_.note(ref, known);
    return false;
  }
  written_.forget(pointer.host_address);
  known = pointer;
  return true;
}

void HostDataToTargetMap::settle_attached(MappingRef ref, HostPtr host_address, const void *writer) {
  std::lock_guard lock(mutex_);
  const Mapping &mapping = *ref.mapping;
  if (!is_kept(mapping.state(), ref) || !mapping.attached_)
    return;
  const auto place = mapping.attached_->find(host_address);
  if (place == mapping.attached_->end() || place->second.writer != writer)
    return;
  place->second.writer = nullptr;
  written_.note(ref, place->second);
  settled_.notify_all();
}

std::vector<AttachedPointer> HostDataToTargetMap::attached_in(MappingRef ref, HostPtr begin, int64_t size) const {
  std::vector<AttachedPointer> result;
  const Mapping &mapping = *ref.mapping;
  if (!mapping.has_attached_pointers())
    return result;
  std::lock_guard lock(mutex_);
  if (!is_kept(mapping.state(), ref) || !mapping.attached_)
    return result;
  const auto end = mapping.attached_->lower_bound(begin + size);
  for (auto place = mapping.attached_->upper_bound(begin + -static_cast<int64_t>(sizeof(void *))); place != end; ++place)
    result.push_back(place->second);
  return result;
}

std::vector<HostDataToTargetMap::Snapshot> HostDataToTargetMap::snapshot() const {
  std::lock_guard lock(mutex_);
  std::vector<Snapshot> all;
  for (const Mapping *mapping : index_.values())
    all.push_back({mapping->begin(), mapping->end(), mapping->base(), mapping->target_begin(),
                   MappingState::reported_count(mapping->state()), mapping->hold_count_.load(kRelaxed), mapping->name()});
  return all;
}

void HostDataToTargetMap::forget_names(uintptr_t begin, uintptr_t end) {
  std::lock_guard lock(mutex_);
  for (Mapping *mapping : index_.values()) {
    const auto name = reinterpret_cast<uintptr_t>(mapping->name());
    if (name >= begin && name < end)
      mapping->name_.store(nullptr, kRelaxed);
  }
}

} // namespace omptarget
