// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/host_data_to_target_map.h"

#include <algorithm>

#include "base/atomic_wait.h"
#include "base/sched_point.h"

namespace omptarget {

namespace {

constexpr int kReadAttempts = 64;

/// A mapping that is removed changes its state before it leaves the index, and it may fall asleep at any moment. Whoever finds it in
/// between must not take it for a new one.
bool is_dead(const Found &found) { return found.ref && (found.ref.generation & 1) != 0; }

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

Found HostDataToTargetMap::classify(const OrderedIndex::Neighbours &around, HostPtr begin, int64_t size) {
  const HostPtr end = begin + size;
  if (const Mapping *below = around.below) {
    const HostPtr below_end = below->end();
    if (size == 0 ? begin < std::max(below_end, below->base()) : begin < below_end)
      return found_at(*below, size == 0 || end <= below_end, true);
  }
  if (const Mapping *above = around.above)
    if (size == 0 ? begin >= above->base() : static_cast<uintptr_t>(end) > around.above_key)
      return found_at(*above, size == 0, true);
  return {};
}

/// A dormant mapping hides nothing that overlaps a range, but it may lie between an array section and its base.
inline Found HostDataToTargetMap::find_around(const OrderedIndex::Neighbours &around, HostPtr begin,
                                              int64_t size) const {
  const Found found = classify(around, begin, size);
  return size != 0 && !is_dead(found) ? found : find_past_dormant(around, begin, size);
}

Found HostDataToTargetMap::find(HostPtr begin, int64_t size) const {
  for (int attempt = 0; attempt < kReadAttempts; ++attempt) {
    const uint32_t version = index_.begin_read();
    if (version & 1)
      continue;
    const Found found = find_around(index_.around(static_cast<uintptr_t>(begin)), begin, size);
    if (index_.end_read(version) && !is_dead(found)) [[likely]]
      return found;
  }
  std::lock_guard lock(mutex_);
  return find_locked(begin, size);
}

/// As find; tells where the range lies or would lie, if one look was enough.
Found HostDataToTargetMap::find_and_note(HostPtr begin, int64_t size, Absence &absence) const {
  const uint32_t version = index_.begin_read();
  if (size != 0 && !(version & 1)) [[likely]] {
    absence.gap.around = index_.around(static_cast<uintptr_t>(begin));
    const Found found = classify(absence.gap.around, begin, size);
    if (!is_dead(found) && index_.end_read(version)) [[likely]] {
      absence.gap.version = version;
      absence.may_sleep = false;
      return found;
    }
  }
  absence.gap.version = OrderedIndex::Gap::kUnknown;
  absence.may_sleep = true;
  return find(begin, size);
}

[[gnu::cold, gnu::noinline]] Found HostDataToTargetMap::find_locked(HostPtr begin, int64_t size) const {
  for (;;)
    if (const Found found = find_around(index_.around(static_cast<uintptr_t>(begin)), begin, size); !is_dead(found))
        [[likely]]
      return found; // otherwise it has just fallen asleep
}

/// While others change the index, the result may be wrong, as that of the index itself: the caller's read section tells.
[[gnu::noinline]] Found HostDataToTargetMap::find_past_dormant(OrderedIndex::Neighbours around, HostPtr begin,
                                                               int64_t size) const {
  while (around.below && MappingState::is_dormant(around.below->state())) [[unlikely]] {
    const HostPtr at = around.below->begin();
    around.below = index_.around(static_cast<uintptr_t>(at) - 1).below;
    if (around.below && around.below->begin() >= at)
      break; // the index is being changed
  }
  while (around.above && MappingState::is_dormant(around.above->state())) [[unlikely]] {
    const HostPtr at = around.above->begin();
    const OrderedIndex::Neighbours next = index_.around(static_cast<uintptr_t>(at));
    around.above = next.above;
    around.above_key = next.above_key;
    if (around.above && around.above->begin() <= at)
      break;
  }
  return classify(around, begin, size);
}

/// Replaces a guess only after the mapping that it holds was removed, so that threads that look up many data do not write to what all
/// of them read.
MappingRef HostDataToTargetMap::arrived_of(const Found &found, HostPtr begin) {
  if (!found.is_contained || !MappingState::has_arrived(found.state))
    return {};
  const Mapping *const guess = recent_.guess(begin);
  if (!guess || MappingState::is_removed(guess->state()))
    recent_.note(begin, found.ref.mapping);
  return found.ref;
}

MappingRef HostDataToTargetMap::search_arrived(HostPtr begin, int64_t size) {
  return arrived_of(find(begin, size), begin);
}

MappingRef HostDataToTargetMap::search_and_retain(HostPtr begin, int64_t size, Absence &absence) {
  if (const Mapping *const guess = recent_.guess(begin); guess && is_dormant_at(*guess, begin, size)) {
    absence.is_absent = absence.may_sleep = true;
    absence.gap.version = OrderedIndex::Gap::kUnknown;
    return {};
  }
  for (;;) {
    const Found found = find_and_note(begin, size, absence);
    const MappingRef ref = arrived_of(found, begin);
    if (!ref)
      absence.is_absent = !found.ref;
    if (!ref || retain(ref, Counter::kDynamic))
      return ref; // otherwise removed since it was found
  }
}

inline Mapping &HostDataToTargetMap::new_mapping() {
  if (!free_)
    return *mappings_.make();
  Mapping &mapping = *free_;
  free_ = reinterpret_cast<Mapping *>(mapping.origin_.load(kRelaxed));
  return mapping;
}

/// With the lock held. They go with the mapping.
MappingExtras &HostDataToTargetMap::extras_of(Mapping &mapping) {
  if (MappingExtras *const extras = mapping.extras())
    return *extras;
  MappingExtras *extras = free_extras_;
  if (extras)
    free_extras_ = extras->next_free;
  else
    extras = extras_.make();
  mapping.extras_.store(reinterpret_cast<uintptr_t>(extras), kRelease);
  return *extras;
}

/// around: of its begin, as the index is now. state: the state word without the generation. Nobody can tell that a mapping is made
/// before its state word says so.
Mapping &HostDataToTargetMap::insert_new(const NewRange &range, const OrderedIndex::Neighbours &around,
                                         DevicePtr target, bool is_own, uint64_t state) {
  Mapping &mapping = new_mapping();
  const uint64_t generation = MappingState::next_live(mapping.state_.load(kRelaxed));
  mapping.begin_.store(range.begin, kRelease);
  mapping.end_.store(range.end, kRelease);
  mapping.base_.store(range.base, kRelease);
  mapping.target_begin_.store(target, kRelease);
  mapping.name_.store(range.name, kRelaxed);
  mapping.origin_.store(Mapping::origin_of(range.creator) | (is_own ? 0 : Mapping::kNotOwn), kRelaxed);
  if (state & MappingState::kHeld) [[unlikely]]
    extras_of(mapping).hold_count.store(1, kRelaxed);
  index_.begin_write();
  mapping.state_.store(generation | state, kRelease);
  index_.insert_at(around, static_cast<uintptr_t>(range.begin), &mapping);
  index_.end_write();
  recent_.note(range.begin, &mapping);
  if (recent_.is_small_for(index_.size())) [[unlikely]]
    make_more_guesses();
  return mapping;
}

[[gnu::cold, gnu::noinline]] void HostDataToTargetMap::make_more_guesses() {
  recent_.grow();
  for (Mapping *const mapping : index_.values())
    recent_.note(mapping->begin(), mapping);
}

Inserted HostDataToTargetMap::insert(const NewRange &range) {
  std::lock_guard lock(mutex_);
  OrderedIndex::Neighbours around = index_.around(static_cast<uintptr_t>(range.begin));
  const Found older = make_room(range, around);
  if (older.ref)
    return {older, false};
  names_.note(range.name);
  const uint64_t state = range.counter == Counter::kHold ? MappingState::kHeld : 1;
  return {found_at(insert_new(range, around, DevicePtr::kNull, false, state), true, true), true};
}

bool HostDataToTargetMap::insert_infinite(const NewRange &range, DevicePtr target) {
  std::lock_guard lock(mutex_);
  OrderedIndex::Neighbours around = index_.around(static_cast<uintptr_t>(range.begin));
  if (make_room(range, around).ref)
    return false;
  insert_new(range, around, target, false, MappingState::kInfinite | MappingState::kStorage | MappingState::kReady);
  return true;
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

/// Nobody uses this removed mapping any more: it may become another one.
void HostDataToTargetMap::recycle(Mapping &mapping, Removed &removed) {
  removed.is_free = true;
  removed.allocation = mapping.allocation();
  removed.begin = mapping.begin();
  removed.size = mapping.size();
  removed.name = mapping.name();
  if (mapping.extras()) [[unlikely]]
    recycle_extras(mapping, removed);
  mapping.origin_.store(reinterpret_cast<uintptr_t>(free_), kRelaxed);
  free_ = &mapping;
}

[[gnu::noinline]] void HostDataToTargetMap::recycle_extras(Mapping &mapping, Removed &removed) {
  MappingExtras &extras = *mapping.extras();
  removed.arrival = std::move(extras.arrival);
  if (!extras.attached.empty()) {
    extras.attached.clear();
    settled_.notify_all();
  }
  extras.hold_count.store(0, kRelaxed);
  extras.pins = 0;
  extras.more_borrowers = 0;
  mapping.extras_.store(0, kRelaxed);
  extras.next_free = free_extras_;
  free_extras_ = &extras;
}

Removed HostDataToTargetMap::remove_if_unused(MappingRef ref) {
  if (ref.mapping->generation() != ref.generation)
    return {};
  std::lock_guard lock(mutex_);
  if (ref.mapping->generation() != ref.generation || is_pinned(*ref.mapping))
    return {}; // who unpins it last removes it
  return remove_unless_used(ref);
}

Removed HostDataToTargetMap::remove_unless_used(MappingRef ref) {
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  uint64_t next;
  do {
    if (MappingState::generation(word) != ref.generation || !MappingState::is_unused(word) ||
        !(word & MappingState::kReady) || (word & MappingState::kLeaving))
      return {};
    next = MappingState::removed(word);
    OMPTARGET_SCHED_POINT("remove: unused, not yet marked");
  } while (!state.compare_exchange_weak(word, next, std::memory_order_acq_rel, kAcquire));
  return unlink(*ref.mapping, next);
}

Removed HostDataToTargetMap::remove_infinite(HostPtr begin, const void *creator) {
  std::lock_guard lock(mutex_);
  const Found found = find_locked(begin, 1);
  if (!found.is_contained || found.begin != begin || !found.ref.mapping->is_created_by(creator))
    return {};
  std::atomic<uint64_t> &state = found.ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  do {
    if (MappingState::count(word) != MappingState::kInfinite || (word & MappingState::kHeld))
      return {};
  } while (!state.compare_exchange_weak(word, MappingState::removed(word), std::memory_order_acq_rel, kAcquire));
  return unlink(*found.ref.mapping, MappingState::removed(word));
}

void HostDataToTargetMap::publish_storage(Mapping &mapping, DevicePtr allocation, uint8_t padding) {
  mapping.target_begin_.store(allocation + padding, kRelease);
  mapping.origin_.store((mapping.origin_.load(kRelaxed) & ~Mapping::kPaddingMask) | padding, kRelaxed);
  OMPTARGET_SCHED_POINT("publish: stored, not yet told");
  mapping.state_.fetch_or(MappingState::kStorage, std::memory_order_acq_rel);
  notify_waiters(mapping.state_);
}

bool HostDataToTargetMap::publish_ready(MappingRef ref, std::shared_ptr<void> arrival) {
  Mapping &mapping = *ref.mapping;
  mapping.origin_.store(mapping.origin_.load(kRelaxed) & Mapping::kPaddingMask, kRelaxed); // nobody is creating it
  uint64_t bits = MappingState::kStorage | MappingState::kReady;
  if (arrival) {
    std::lock_guard lock(mutex_);
    extras_of(mapping).arrival = std::move(arrival);
    bits |= MappingState::kArriving;
  }
  OMPTARGET_SCHED_POINT("publish: not yet ready");
  const uint64_t before = mapping.state_.fetch_or(bits, std::memory_order_acq_rel);
  notify_waiters(mapping.state_);
  return !MappingState::is_unused(before);
}

std::shared_ptr<void> HostDataToTargetMap::arrival(MappingRef ref) const {
  if (!(ref.mapping->state() & MappingState::kArriving))
    return nullptr;
  std::lock_guard lock(mutex_);
  const MappingExtras *const extras = ref.mapping->extras();
  return extras && ref.mapping->generation() == ref.generation ? extras->arrival : nullptr;
}

void HostDataToTargetMap::end_arrival(MappingRef ref) {
  std::shared_ptr<void> event; // ends after the lock: its end calls out
  std::lock_guard lock(mutex_);
  if (ref.mapping->generation() != ref.generation)
    return;
  event = std::move(extras_of(*ref.mapping).arrival);
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
    } while (!state.compare_exchange_weak(word, MappingState::removed(word), std::memory_order_acq_rel, kAcquire));
    removed = unlink(*ref.mapping, MappingState::removed(word));
  }
  notify_waiters(ref.mapping->state_);
  return removed;
}

std::vector<HostDataToTargetMap::Snapshot> HostDataToTargetMap::snapshot() const {
  std::lock_guard lock(mutex_);
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
  std::lock_guard lock(mutex_);
  if (!are_globals && !names_.may_lie_in(begin, end))
    return;
  for (Mapping *mapping : index_.values())
    forget_name(*mapping, begin, end);
}

void HostDataToTargetMap::forget_name_of_global(HostPtr variable, uintptr_t begin, uintptr_t end) {
  std::lock_guard lock(mutex_);
  if (const Found found = find_locked(variable, 1); found.is_contained)
    forget_name(*found.ref.mapping, begin, end);
}

} // namespace omptarget
