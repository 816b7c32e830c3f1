// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/host_data_to_target_map.h"

#include <algorithm>

#include "base/atomic_wait.h"
#include "base/sched_point.h"

namespace omptarget {

namespace {

/// Free mappings go between stripes and store so many at a time.
constexpr uint32_t kBatch = 16;

/// A mapping that is removed changes its state before it leaves the index, and it may fall asleep at any moment.
/// A lookup in between must not take it for a new one.
bool is_dead(const Found &found) { return found.ref && (found.ref.generation & 1) != 0; }

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

/// Recent actions of a thread in large tables, which it is likely to repeat.
struct Habit {
  static constexpr uint8_t kTries = 2;   ///< so often it is relied on without being confirmed
  uint8_t entering = 0;                  ///< data that were absent
  uint8_t leaving = 0;                   ///< data for the last time
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
[[gnu::noinline]] MappingRef HostDataToTargetMap::next_to_leave(HostPtr begin, int64_t size) const {
  if (!use_prediction(habit.leaving))
    return {};
  const auto key = static_cast<uintptr_t>(begin);
  if (Mapping *const next = index_.first_of(habit.leaf, key))
    return if_arrived(next, begin, size);
  recent_.fetch(begin);
  habit.leaf = index_.fetch(key);
  return {};
}

bool Mapping::wait_for(uint64_t state_bit, uint32_t generation) const {
  for (;;) {
    const uint64_t word = state_.load(OMPTARGET_ORDER("state_wait_relaxed", kAcquire));
    if (MappingState::generation(word) != generation)
      return false;
    if (word & state_bit)
      return true;
    wait_while_equal(state_, word);
  }
}

void Mapping::wait_for_turn(uint32_t generation) const {
  for (;;) {
    const uint64_t word = state_.load(kAcquire);
    if (MappingState::generation(word) != generation || !(word & MappingState::kTurn))
      return;
    wait_while_equal(state_, word);
  }
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
      if (find_past_dormant(around, begin, size, found)) [[likely]]
        return found;
    } else if (index_.is_current(around)) [[likely]] {
      return found;
    }
  }
}

/// As find; tells where the range lies or would lie, if one look was enough.
Found HostDataToTargetMap::find_and_note(HostPtr begin, int64_t size, Absence &absence) {
  if (size != 0) [[likely]] {
    index_.look(static_cast<uintptr_t>(begin), absence.gap);
    const Found found = classify(absence.gap, begin, size);
    if (!is_dead(found) && index_.is_current(absence.gap)) [[likely]] {
      absence.sleeper = nullptr;
      return found;
    }
    absence.sleeper = found.ref && is_dormant_at(*found.ref.mapping, begin, size) ? found.ref.mapping : nullptr;
    if (absence.sleeper)
      recent_.note(begin, absence.sleeper);
  }
  absence.gap.forget();
  return find(begin, size);
}

/// A dormant mapping hides nothing that overlaps a range, but it may lie between an array section and its base.
/// Returns whether the result is right: the index has not changed meanwhile, and nothing has become dormant.
[[gnu::noinline]] bool HostDataToTargetMap::find_past_dormant(OrderedIndex::Neighbours around, HostPtr begin,
                                                              int64_t size, Found &found) const {
  OrderedIndex::Looks looks;
  looks.add(around);
  if (size != 0 && around.below && MappingState::is_dormant(around.below->state()))
    around.below = nullptr; // what lies below it ends before the range
  while (around.below && MappingState::is_dormant(around.below->state())) [[unlikely]] {
    const HostPtr at = around.below->begin();
    const OrderedIndex::Neighbours next = index_.around(static_cast<uintptr_t>(at) - 1);
    looks.add(next);
    around.below = next.below;
    if (around.below && around.below->begin() >= at)
      return false; // the index is being changed
  }
  const uintptr_t end = size == 0 ? UINTPTR_MAX : static_cast<uintptr_t>(begin + size);
  while (around.above && around.above_key < end && MappingState::is_dormant(around.above->state())) [[unlikely]] {
    const HostPtr at = around.above->begin();
    const OrderedIndex::Neighbours next = index_.around(static_cast<uintptr_t>(at));
    looks.add(next);
    around.above = next.above;
    around.above_key = next.above_key;
    if (around.above && around.above->begin() <= at)
      return false;
  }
  found = classify(around, begin, size);
  return !is_dead(found) && looks.are_current();
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

MappingRef HostDataToTargetMap::search_unless_asleep(Mapping *guess, HostPtr begin, int64_t size, Absence &absence) {
  if (guess && is_dormant_at(*guess, begin, size)) {
    absence.is_absent = true;
    absence.sleeper = guess;
    absence.gap.forget();
    return {};
  }
  return search_and_retain(begin, size, absence);
}

MappingRef HostDataToTargetMap::search_and_retain(HostPtr begin, int64_t size, Absence &absence) {
  for (;;) {
    const Found found = find_and_note(begin, size, absence);
    const MappingRef ref = arrived_of(found, begin);
    if (!ref) {
      absence.is_absent = !found.ref;
      if (recent_.is_large())
        habit.entering = Habit::kTries;
    }
    if (!ref || retain(ref, Counter::kDynamic))
      return ref; // otherwise removed since it was found
  }
}

inline Mapping &HostDataToTargetMap::new_mapping(FreeMappings &free) {
  if (!free.first) [[unlikely]]
    get_free(free);
  Mapping &mapping = *free.first;
  free.first = reinterpret_cast<Mapping *>(mapping.origin_.load(kRelaxed));
  __builtin_prefetch(free.first, 1); // freed long ago, most likely
  --free.count;
  return mapping;
}

inline void HostDataToTargetMap::keep_free(Mapping &mapping, FreeMappings &free) {
  mapping.origin_.store(reinterpret_cast<uintptr_t>(free.first), kRelease);
  free.first = &mapping;
  if (++free.count == 4 * kBatch) [[unlikely]]
    store_half(free);
}

[[gnu::noinline]] void HostDataToTargetMap::get_free(FreeMappings &free) {
  const std::lock_guard store(store_mutex_);
  if (!stored_.empty()) {
    free = stored_.back();
    stored_.pop_back();
    return;
  }
  for (; free.count < kBatch; ++free.count) {
    Mapping *const mapping = mappings_.make();
    mapping->origin_.store(reinterpret_cast<uintptr_t>(free.first), kRelease);
    free.first = mapping;
  }
}

/// The half that came first: the rest is nearer.
[[gnu::noinline]] void HostDataToTargetMap::store_half(FreeMappings &free) {
  Mapping *last = free.first;
  const uint32_t kept = free.count / 2;
  for (uint32_t i = 1; i < kept; ++i)
    last = reinterpret_cast<Mapping *>(last->origin_.load(kRelaxed));
  const FreeMappings rest{reinterpret_cast<Mapping *>(last->origin_.load(kRelaxed)), free.count - kept};
  last->origin_.store(0, kRelease);
  free.count = kept;
  const std::lock_guard store(store_mutex_);
  stored_.push_back(rest);
}

/// With mutex_ held, by who keeps the mapping from being removed. They go with the mapping.
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

/// The stripes are held that take_room has taken, and given back. state: the state word without the generation.
/// Nobody can tell that a mapping is made before its state word says so.
Found HostDataToTargetMap::insert_new(const NewRange &range, const OrderedIndex::Neighbours &around, DevicePtr target,
                                      bool is_own, uint64_t state) {
  Mapping &mapping = new_mapping(index_.free_at(around));
  const uint64_t word = MappingState::next_live(mapping.state_.load(kRelaxed)) | state;
  mapping.begin_.store(range.begin, kRelease);
  mapping.end_.store(range.end, kRelease);
  mapping.base_.store(range.base, kRelease);
  mapping.target_begin_.store(target, kRelease);
  mapping.name_.store(range.name, kRelaxed);
  mapping.origin_.store(Mapping::origin_of(range.creator) | (is_own ? 0 : Mapping::kNotOwn), kRelease);
  if (state & MappingState::kHeld) [[unlikely]]
    extras_of(mapping).hold_count.store(1, kRelaxed);
  mapping.state_.store(word, kRelease);
  index_.insert_at(around, static_cast<uintptr_t>(range.begin), &mapping);
  index_.unlock_around(around, true);
  recent_.note(range.begin, &mapping); // others may have removed it by now: a guess
  Found found;
  found.ref = {&mapping, MappingState::generation(word)};
  found.begin = range.begin;
  found.end = range.end;
  found.state = word;
  found.is_contained = found.is_overlapped = true;
  return found;
}

/// With nothing held. Tables of guesses grow here, too.
[[gnu::cold, gnu::noinline]] void HostDataToTargetMap::split_leaf(uintptr_t key) {
  const std::lock_guard everything(index_);
  index_.split(key);
  if (recent_.is_small_for(index_.size()))
    make_more_guesses();
}

void HostDataToTargetMap::make_more_guesses() {
  recent_.grow();
  for (Mapping *const mapping : index_.values())
    recent_.note(mapping->begin(), mapping);
}

Inserted HostDataToTargetMap::insert(const NewRange &range) {
  const bool is_held = range.counter == Counter::kHold;
  std::unique_lock lock(mutex_, std::defer_lock);
  if (is_held) [[unlikely]]
    lock.lock(); // for the extras
  OrderedIndex::Neighbours around = OrderedIndex::Neighbours::unknown();
  Inserted older;
  if (!take_room(range, around, older.found, is_held ? Mutex::kHeld : Mutex::kFree))
    return older;
  names_.note(range.name);
  return {insert_new(range, around, DevicePtr::kNull, false, is_held ? MappingState::kHeld : 1), true};
}

bool HostDataToTargetMap::insert_infinite(const NewRange &range, DevicePtr target) {
  OrderedIndex::Neighbours around = OrderedIndex::Neighbours::unknown();
  Found older;
  if (!take_room(range, around, older, Mutex::kFree))
    return false;
  insert_new(range, around, target, false, MappingState::kInfinite | MappingState::kStorage | MappingState::kReady);
  return true;
}

inline void HostDataToTargetMap::describe(const Mapping &mapping, Removed &removed) {
  removed.begin = mapping.begin();
  removed.size = mapping.size();
  removed.name = mapping.name();
}

/// Removes the mapping if these bits of its state word are as in state.
Removed HostDataToTargetMap::remove_if(MappingRef ref, uint64_t bits, uint64_t state, Mutex mutex) {
  Mapping &mapping = *ref.mapping;
  Removed removed;
  {
    // The stripe of its key, if it is still the same mapping.
    OrderedIndex::Holder holder(index_, static_cast<uintptr_t>(mapping.begin()), habit.leaf);
    habit.leaf = holder.leaf();
    uint64_t word = mapping.state_.load(kAcquire);
    do {
      if (MappingState::generation(word) != ref.generation || (word & bits) != state)
        return removed;
      OMPTARGET_SCHED_POINT("remove: unused, not yet marked");
    } while (!mark_removed(mapping.state_, word));
    if (unlink(mapping, MappingState::removed(word), holder, removed)) [[likely]]
      return removed;
  }
  recycle_apart(mapping, removed, mutex);
  return removed;
}

/// Takes the mapping out of the table; word: its state, of a removed one, since the holder came. False: its memory is
/// to be used again, but it has extras, for which nothing may be held.
bool HostDataToTargetMap::unlink(Mapping &mapping, uint64_t word, OrderedIndex::Holder &holder, Removed &removed) {
  OMPTARGET_SCHED_POINT("remove: marked, not yet out of the index");
  removed.is_removed = true;
  removed.target_begin = mapping.target_begin();
  describe(mapping, removed);
  holder.erase();
  if (recent_.is_large())
    habit.leaving = Habit::kTries;
  if (MappingState::borrowers(word) != 0 && !OMPTARGET_PLANTED("state_borrowers_forgotten"))
    return true; // the last of them recycles it
  removed.is_free = true;
  removed.allocation = mapping.allocation();
  if (mapping.extras()) [[unlikely]]
    return false;
  keep_free(mapping, holder.free());
  return true;
}

/// Nobody uses this removed mapping any more: it may become another one, once who removes it gives back its stripe.
/// No stripe is held.
[[gnu::noinline]] void HostDataToTargetMap::recycle_apart(Mapping &mapping, Removed &removed, Mutex mutex) {
  removed.is_free = true;
  removed.allocation = mapping.allocation();
  describe(mapping, removed);
  if (mapping.extras()) {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (mutex == Mutex::kFree)
      lock.lock();
    recycle_extras(mapping, removed);
  }
  OrderedIndex::Holder holder(index_, static_cast<uintptr_t>(removed.begin));
  keep_free(mapping, holder.free());
}

/// mutex_ is held.
[[gnu::noinline]] void HostDataToTargetMap::recycle_extras(Mapping &mapping, Removed &removed) {
  MappingExtras &extras = *mapping.extras();
  if (!extras.attached.empty()) {
    extras.attached.clear();
    settled_.notify_all();
  }
  extras.hold_count.store(0, kRelaxed);
  extras.pins = 0;
  extras.more_borrowers = 0;
  extras.base_pointers = 0;
  mapping.extras_.store(0, kRelaxed);
  extras.next_free = free_extras_;
  free_extras_ = &extras;
}

Removed HostDataToTargetMap::remove_if_unused(MappingRef ref) {
  if (ref.mapping->generation() != ref.generation)
    return {};
  return remove_unless_used(ref, Mutex::kFree);
}

/// The last unpin removes a pinned mapping.
Removed HostDataToTargetMap::remove_unless_used(MappingRef ref, Mutex mutex) {
  constexpr uint64_t kReady = MappingState::kReady, kTurn = MappingState::kTurn, kPinned = MappingState::kPinned;
  uint64_t looked_at = MappingState::kCountMask | MappingState::kHeld | kTurn | kPinned | kReady;
  looked_at &= ~(OMPTARGET_PLANTED("state_removed_while_copied") ? kTurn : 0);
  looked_at &= ~(OMPTARGET_PLANTED("state_removed_while_pinned") ? kPinned : 0);
  looked_at &= ~(OMPTARGET_PLANTED("state_removed_before_ready") ? kReady : 0);
  return remove_if(ref, looked_at, kReady & looked_at, mutex);
}

Removed HostDataToTargetMap::remove_infinite(HostPtr begin, const void *creator) {
  std::lock_guard lock(mutex_);
  const Found found = find(begin, 1);
  if (!found.is_contained || found.begin != begin || !found.ref.mapping->is_created_by(creator))
    return {};
  return remove_if(found.ref, MappingState::kCountMask | MappingState::kHeld, MappingState::kInfinite, Mutex::kHeld);
}

void HostDataToTargetMap::publish_storage(Mapping &mapping, DevicePtr allocation, uint8_t padding) {
  mapping.target_begin_.store(allocation + padding, kRelease);
  mapping.origin_.store((mapping.origin_.load(kRelaxed) & ~Mapping::kPaddingMask) | padding, kRelease);
  OMPTARGET_SCHED_POINT("publish: stored, not yet told");
  mapping.state_.fetch_or(MappingState::kStorage, OMPTARGET_ORDER("state_storage_relaxed", std::memory_order_acq_rel));
  if (!OMPTARGET_PLANTED("state_storage_untold"))
    notify_waiters(mapping.state_);
}

bool HostDataToTargetMap::publish_ready(MappingRef ref, const Arrival *arrival) {
  Mapping &mapping = *ref.mapping;
  const uint64_t padding = mapping.origin_.load(kRelaxed) & Mapping::kPaddingMask;
  mapping.origin_.store(Mapping::origin_of(arrival) | padding, kRelease); // nobody is creating it
  const uint64_t bits =
      MappingState::kStorage | MappingState::kReady | (arrival ? MappingState::kArriving : uint64_t{0});
  OMPTARGET_SCHED_POINT("publish: not yet ready");
  const uint64_t before = mapping.state_.fetch_or(bits, std::memory_order_acq_rel);
  notify_waiters(mapping.state_);
  return !MappingState::is_unused(before);
}

Arrival *HostDataToTargetMap::use_arrival(MappingRef ref) const {
  const uint64_t origin = ref.mapping->origin_.load(kAcquire);
  if (!is_arriving(ref)) [[likely]]
    return nullptr;
  auto *const arrival = reinterpret_cast<Arrival *>(origin >> Mapping::kPaddingBits);
  OMPTARGET_SCHED_POINT("arrival: found, not yet used");
  return arrival->use() ? arrival : nullptr;
}

void HostDataToTargetMap::end_arrival(MappingRef ref) {
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(kAcquire);
  while (MappingState::generation(word) == ref.generation && (word & MappingState::kArriving) &&
         !state.compare_exchange_weak(word, word & ~MappingState::kArriving, std::memory_order_acq_rel, kAcquire)) {
  }
}

Removed HostDataToTargetMap::discard(MappingRef ref) {
  Removed removed;
  {
    std::lock_guard lock(mutex_); // others may be holding or pinning it
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
  if (found.ref.mapping->generation() == found.ref.generation)
    forget_name(*found.ref.mapping, begin, end);
}

} // namespace omptarget
