// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host data that are present on one device (OpenMP 5.2, section 5.8): who is where, and how often referenced. Knows
// nothing of plugins: callers allocate and copy, and tell the result.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mapping/arrival.h"
#include "mapping/dormant_mappings.h"
#include "mapping/mapping.h"
#include "mapping/name_pages.h"
#include "mapping/ordered_index.h"
#include "mapping/recent_mappings.h"
#include "mapping/written_pointers.h"

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
  const void *creator;
  Counter counter;
};

/// The result of a lookup of absent data.
struct Absence {
  bool is_absent = false;                                             ///< nothing overlaps the range
  Mapping *sleeper = nullptr;                                         ///< of exactly this range, if it still sleeps
  OrderedIndex::Neighbours gap = OrderedIndex::Neighbours::unknown(); ///< where it would lie
};

struct Inserted {
  Found found; ///< the new mapping, or the older one that overlaps the range
  bool is_new = false;
};

/// The action of a release that takes the last reference: kTakeTurn takes the copy-back turn in the same step.
enum class OnLast : bool { kLeave, kTakeTurn };

/// The result of a release.
struct Released {
  bool is_valid;          ///< false: the mapping had been removed meanwhile
  bool reached_zero;      ///< this call took the last reference
  uint32_t count;         ///< dynamic count afterwards
  bool has_turn = false;  ///< and the turn
  bool must_wait = false; ///< nothing has happened: it is the last reference, and another construct has the turn
};

/// The result of retaining.
struct Retained {
  bool is_valid = false;  ///< false: the mapping had been removed meanwhile
  bool must_wait = false; ///< the data are being copied back by a construct that was the last one (MappingState::kLeft)
  explicit operator bool() const { return is_valid; }
};

/// The answer to a request for the turn of a mapping.
enum class Turn : uint8_t {
  kTaken,
  kBusy, ///< another construct has it
  kGone, ///< the mapping is removed, or is about to be: another construct has the turn, and nobody has a reference
};

/// A mapping that left the table, and the device memory that is left to be freed. While others still borrow it
/// there is nothing to free; the last of them to give it back gets the memory.
struct Removed {
  bool is_removed = false; ///< this call took it out of the table
  bool is_free = false;    ///< nobody uses its storage any more
  DevicePtr allocation{};  ///< to be freed, or null
  HostPtr begin{};
  DevicePtr target_begin{};
  int64_t size = 0;
  const char *name = nullptr;
};

/// Any thread. No function calls out with a lock held. Locks:
/// - find, retain, release with the dynamic counter, borrowing, and what sleeps: nothing. The state word of a mapping decides.
/// - insert and remove: the stripes of the index where the range lies. A mapping is marked as removed with the stripe of its key held that it
///   is also taken out of the index with; so nobody finds it in the index with its stripe held, or uses its memory again before it is out.
/// - what has extras (holds, pins, attached pointers, base pointers), and evicting: mutex_. A mapping
///   gets its extras with mutex_ held and while nobody removes it, and loses them with mutex_ held.
/// - what walks through the table: all stripes.
/// A thread that takes several takes mutex_ first, then stripes, then store_mutex_.
class HostDataToTargetMap {
public:
  HostDataToTargetMap() = default;
  HostDataToTargetMap(const HostDataToTargetMap &) = delete;
  HostDataToTargetMap &operator=(const HostDataToTargetMap &) = delete;

  /// Looks up [begin, begin + size); size 0 looks for the array section whose start or base the address is.
  Found find(HostPtr begin, int64_t size) const;

  /// Makes a mapping with count 1 and no storage yet, unless something overlaps the range already.
  Inserted insert(const NewRange &range);
  /// Makes a mapping that is ready and never removed by counting: a global variable or an associated pointer.
  /// False if the range overlaps an older mapping.
  bool insert_infinite(const NewRange &range, DevicePtr target);

  /// Adds a reference; false if the mapping has been removed since it was found. Revives one whose count is zero.
  Retained retain(MappingRef ref, Counter counter);
  /// Takes a reference away; with reset, all of this counter's. Infinite counts and zero stay as they are.
  Released release(MappingRef ref, Counter counter, bool reset, OnLast on_last = OnLast::kLeave);
  /// As release of one dynamic reference, if that is the last one; otherwise nothing, in the same step.
  Released release_if_last(MappingRef ref, OnLast on_last = OnLast::kLeave);

  /// Notes that one of the dynamic references, which the caller has taken, stands for a base pointer that the program
  /// did not name.
  void note_base_pointer(MappingRef ref);
  /// Hands such a reference to the caller, who releases it; with all, the others are released. False if there is none.
  bool take_base_pointer(MappingRef ref, bool all);
  /// Somebody else releases all references.
  void forget_base_pointers(MappingRef ref);

  /// Takes the copy-back turn without releasing anything; never waits. end_turn, or for plain data end_turn_asleep,
  /// follows once the bytes have landed on the host and attached pointers are restored. A thread that waits for a
  /// turn (Mapping::wait_for_turn) has none.
  Turn take_turn(MappingRef ref);
  /// Removes the mapping if it is unused.
  Removed end_turn(MappingRef ref);

  // For constructs whose data are present, as most are: one step each.
  /// The same as find_arrived if that takes no search; null: find knows.
  MappingRef guess_arrived(HostPtr begin, int64_t size) const;
  /// The same as find_arrived, for a caller that is going to release a reference. Among so many data that memory is the
  /// bottleneck, a thread that has lately released last references prefetches the next data to leave.
  MappingRef find_to_leave(HostPtr begin, int64_t size) {
    const MappingRef next = recent_.is_large() ? next_to_leave(begin, size) : MappingRef{};
    return next ? next : find_arrived(begin, size);
  }
  /// Returns the mapping that holds the whole range (size 0: the address) and whose data have arrived. Null: there is
  /// more to know.
  MappingRef find_arrived(HostPtr begin, int64_t size);
  /// The same, with a dynamic reference more. If it is null, absence tells whether nothing overlaps the range, else
  /// it is unchanged.
  MappingRef retain_arrived(HostPtr begin, int64_t size, Absence &absence);
  /// The same, borrowed.
  MappingRef borrow_arrived(HostPtr begin, int64_t size);
  /// Gives back what was borrowed, if nothing else is to be done: otherwise false, and give_back does it.
  bool give_back_simply(MappingRef ref);
  /// Takes one dynamic reference away, unless it is the last one: false, and nothing has happened.
  bool release_unless_last(MappingRef ref);

  // For constructs that map small data anew and leave them again without a plan (small_mappings.cpp).
  /// The sleeper of the range's absence becomes present with one reference and undefined data. Null: there is none any
  /// more. Unless is_ready, the caller copies the data, and then calls publish_ready, or discard.
  MappingRef revive(Mapping *sleeper, const NewRange &range, bool is_ready);
  /// As insert, of a mapping that has storage, and as revive. gap: of the range's absence. Not new: allocation stays
  /// the caller's.
  Inserted insert_stored(const NewRange &range, DevicePtr allocation, bool is_ready, OrderedIndex::Neighbours &gap);
  /// Takes the last reference away, and the turn. False: it is not the last one, or there is more to do, and nothing
  /// has happened.
  bool leave_for_turn(MappingRef ref);
  /// Called when a mapping is about to become dormant, which may fail all the same.
  using AboutToSleep = void (*)(void *argument);
  /// Ends the turn, and the mapping becomes dormant. False: nothing has happened, and end_turn is to follow.
  bool end_turn_asleep(MappingRef ref, AboutToSleep tell = nullptr, void *argument = nullptr);
  /// Takes the last reference away from data that are not copied back; is_left: whether it was the last reference.
  bool leave_last_asleep(MappingRef ref, AboutToSleep tell = nullptr, void *argument = nullptr);
  Removed leave_last(MappingRef ref, bool &is_left);
  /// The same with all dynamic references at once, so that nobody sees a part of that. is_left: whether it was done;
  /// otherwise there is more to do, and nothing has happened.
  bool delete_asleep(MappingRef ref, AboutToSleep tell = nullptr, void *argument = nullptr);
  Removed delete_all(MappingRef ref, bool &is_left);
  /// Before the first construct: no data larger than these become dormant, for users who look for uses of freed memory.
  void limit_dormant(int64_t bytes) { dormant_.limit(bytes); }
  /// Storage of dormant mappings that had to go, to be freed by the caller.
  bool has_evicted() const { return has_evicted_.load(std::memory_order_relaxed); }
  std::vector<DevicePtr> take_evicted();
  /// Nothing stays dormant; take_evicted has what they had.
  void evict_all();

  /// Removes the mapping if it still has no references and no pins, and is ready; the caller frees what it had.
  Removed remove_if_unused(MappingRef ref);
  /// Keeps the mapping present although its references may go: a construct that leaves it still uses it, and who
  /// enters it meanwhile finds it. False if it has been removed since it was found. unpin removes it if nothing else
  /// keeps it.
  bool pin(MappingRef ref);
  Removed unpin(MappingRef ref);
  /// Keeps the mapping's storage and attached pointers as they are, but not the mapping present: for constructs that
  /// use data without a reference. A construct that enters the data after they were removed gets fresh storage. False
  /// as for pin. The last give_back of a removed mapping frees it.
  bool borrow(MappingRef ref);
  Removed give_back(MappingRef ref);
  /// Removes the infinite mapping that begins there and was made with this creator: an association, or with null a
  /// global variable, whose module goes. Not removed if it is held.
  Removed remove_infinite(HostPtr begin, const void *creator = nullptr);

  /// The creating construct tells that storage was allocated (allocation: what to free later; the data come after the
  /// padding), that the data have arrived (arrival: the event after which they have, or null), or that it failed: the
  /// mapping is removed, whatever its count, unless it is ready; then others may be using it, and it is the creator's
  /// to release. False if all references went before it was ready: it is the creator's to remove.
  void publish_storage(Mapping &mapping, DevicePtr allocation, uint8_t padding = 0);
  [[nodiscard]] bool publish_ready(MappingRef ref, const Arrival *arrival = nullptr);
  /// The same of a mapping that was made with its storage, and has no creator and no event.
  [[nodiscard]] bool publish_copied(MappingRef ref);
  Removed discard(MappingRef ref);

  /// The arrival of data that are on their way, with the caller as one more user, or null if they have arrived. The
  /// caller asks is_arriving() before it waits for the event: if not, the arrival is that of other data by now.
  Arrival *use_arrival(MappingRef ref) const;
  bool is_arriving(MappingRef ref) const {
    const uint64_t word = ref.mapping->state();
    return MappingState::generation(word) == ref.generation && (word & MappingState::kArriving);
  }
  /// The creating construct has waited for its own queue: nobody waits for the event from now on.
  void end_arrival(MappingRef ref);

  /// Notes an attached pointer; false if the same was noted already, and its copy written, or if the mapping was
  /// removed. While another construct is still writing it: with waits blocks until that has settled it, otherwise
  /// true, since writing it twice does no harm. Takes no lock for one that is known to be written.
  bool note_attached(MappingRef ref, const AttachedPointer &pointer, bool waits);
  /// The writer tells that the copy is written. Never to be forgotten, and nothing may be waited for before.
  void settle_attached(MappingRef ref, HostPtr host_address, const void *writer);
  /// Returns whether the pointer, which lies in ref, is attached to the target's present place, and its copy is
  /// written. Also true if the program has changed the host's pointer since it was attached. The caller keeps ref and
  /// target. Takes no lock for one that is known to be written.
  bool is_attached(MappingRef ref, HostPtr pointer, MappingRef target);
  /// The attached pointers that lie in [begin, begin + size) of the mapping, which the caller keeps.
  std::vector<AttachedPointer> attached_in(MappingRef ref, HostPtr begin, int64_t size) const;

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
    mutex_.lock();
    index_.lock();
    store_mutex_.lock();
  }
  void after_fork() {
    store_mutex_.unlock();
    index_.unlock();
    mutex_.unlock();
  }
  /// In the child of a fork, which has one thread: discards data that another thread was mapping or leaving, and ends
  /// pins, turns and waits. References stay, whichever thread took them.
  void forget_other_threads();

private:
  void forget_other_threads(Mapping &mapping);
  bool is_likely_absent(HostPtr begin) const;
  MappingRef next_to_leave(HostPtr begin, int64_t size) const;
  static MappingRef if_arrived(Mapping *mapping, HostPtr begin, int64_t size);
  static bool has_arrived_with(const Mapping &mapping, uint64_t word, HostPtr begin, int64_t size);
  MappingRef search_arrived(HostPtr begin, int64_t size);
  MappingRef arrived_of(const Found &found, HostPtr begin);
  MappingRef search_unless_asleep(Mapping *guess, HostPtr begin, int64_t size, Absence &absence);
  MappingRef search_and_retain(HostPtr begin, int64_t size, Absence &absence);
  Found find_and_note(HostPtr begin, int64_t size, Absence &absence);
  static Found classify(const OrderedIndex::Neighbours &around, HostPtr begin, int64_t size);
  bool find_past_dormant(OrderedIndex::Neighbours around, HostPtr begin, int64_t size, Found &found) const;
  static constexpr uint64_t kInTurn = MappingState::kTurn | MappingState::kLeft; // that began with the last reference
  static constexpr uint64_t kReadyInTurn = MappingState::kReady | kInTurn;       // of MappingState::kUse
  static constexpr uint64_t kReadyAndLast = MappingState::kReady | 1;
  static bool is_dormant_at(const Mapping &mapping, HostPtr begin, int64_t size);
  enum class Mutex { kFree, kHeld }; // whether the caller holds mutex_
  bool take_room(const NewRange &range, OrderedIndex::Neighbours &around, Found &older, Mutex mutex);
  static Mapping *sleeper_in(const NewRange &range, const OrderedIndex::Neighbours &around);
  void split_leaf(uintptr_t key);
  bool evict(Mapping &mapping);
  Removed end_use(MappingRef ref, uint64_t state_of_end);
  static uint64_t use_to_delete(MappingRef ref);
  bool fall_asleep(MappingRef ref, uint64_t state_of_end, AboutToSleep tell, void *argument);
  DormantMappings::Place *place_to_sleep(const Mapping &mapping);
  static void forget_name(Mapping &mapping, uintptr_t begin, uintptr_t end);
  using FreeMappings = OrderedIndex::FreeMappings;
  Mapping &new_mapping(FreeMappings &free);
  void get_free(FreeMappings &free);
  void keep_free(Mapping &mapping, FreeMappings &free);
  void store_half(FreeMappings &free);
  MappingExtras &extras_of(Mapping &mapping);
  void recycle_extras(Mapping &mapping, Removed &removed);
  Found insert_new(const NewRange &range, const OrderedIndex::Neighbours &around, DevicePtr target, bool is_own,
                   uint64_t state);
  void make_more_guesses();
  Removed remove_if(MappingRef ref, uint64_t bits, uint64_t state, Mutex mutex);
  bool unlink(Mapping &mapping, uint64_t word, OrderedIndex::Holder &holder, Removed &removed);
  void recycle_apart(Mapping &mapping, Removed &removed, Mutex mutex);
  static void describe(const Mapping &mapping, Removed &removed);
  Removed remove_unless_used(MappingRef ref, Mutex mutex);
  static std::string attached_fault(const Mapping &mapping);
  static std::string free_fault(const OrderedIndex::FreeMappings &free);
  bool borrow_with_many(MappingRef ref);
  bool give_back_one_of_many(MappingRef ref);
  bool set_bit(MappingRef ref, uint64_t bit, uint64_t &word);
  Released release_hold(MappingRef ref, bool reset, OnLast on_last);
  Retained retain_hold(MappingRef ref);
  [[gnu::cold]] Retained retain_at_limit(MappingRef ref);

  mutable std::mutex mutex_;
  WrittenPointers written_;
  std::condition_variable settled_; // some attached pointer has no writer any more
  mutable OrderedIndex index_;      // for its locks
  RecentMappings recent_;
  DormantMappings dormant_;
  std::vector<DevicePtr> evicted_; // with mutex_ held
  std::atomic<bool> has_evicted_{false};
  NamePages names_;                    // of all but global variables
  ObjectBlocks<MappingExtras> extras_; // with mutex_ held
  MappingExtras *free_extras_ = nullptr;
  mutable std::mutex
      store_mutex_; // where stripes get free mappings, with their lists empty, and bring them, with these long
  ObjectBlocks<Mapping> mappings_;
  std::vector<FreeMappings> stored_;
};

/// Returns whether the mapping holds the whole range. word is its state, read before; while that stays the same, so
/// do the bounds.
inline bool HostDataToTargetMap::has_arrived_with(const Mapping &mapping, uint64_t word, HostPtr begin, int64_t size) {
  const HostPtr mapped_begin = mapping.begin();
  const HostPtr mapped_end = mapping.end();
  return MappingState::is_settled(word) && begin >= mapped_begin && begin < mapped_end &&
         static_cast<uint64_t>(size) <= static_cast<uint64_t>(mapped_end - begin);
}

inline MappingRef HostDataToTargetMap::guess_arrived(HostPtr begin, int64_t size) const {
  return if_arrived(recent_.guess(begin), begin, size);
}

inline MappingRef HostDataToTargetMap::if_arrived(Mapping *mapping, HostPtr begin, int64_t size) {
  if (mapping) {
    const uint64_t word = mapping->state_.load(std::memory_order_acquire);
    const MappingRef ref{mapping, MappingState::generation(word)};
    if (has_arrived_with(*mapping, word, begin, size) &&
        (mapping->generation() == ref.generation || OMPTARGET_PLANTED("state_guess_unchecked"))) [[likely]]
      return ref;
  }
  return {};
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
    uint64_t word = mapping->state_.load(std::memory_order_acquire);
    const MappingRef ref{mapping, MappingState::generation(word)};
    if (has_arrived_with(*mapping, word, begin, size)) [[likely]] {
      if (MappingState::count(word) >= MappingState::kInfinite - 1) [[unlikely]] {
        if (MappingState::count(word) == MappingState::kInfinite ? mapping->generation() == ref.generation
                                                                 : retain_at_limit(ref).is_valid)
          return ref;
      } else if (mapping->state_.compare_exchange_strong(word, word + 1, std::memory_order_acq_rel,
                                                         std::memory_order_acquire)) [[likely]] {
        return ref;
      }
    }
  }
  return search_unless_asleep(mapping, begin, size, absence);
}

inline MappingRef HostDataToTargetMap::borrow_arrived(HostPtr begin, int64_t size) {
  if (Mapping *const mapping = recent_.guess(begin)) {
    uint64_t word = mapping->state_.load(std::memory_order_acquire);
    const MappingRef ref{mapping, MappingState::generation(word)};
    if (has_arrived_with(*mapping, word, begin, size) &&
        MappingState::borrowers(word) != MappingState::kManyBorrowers &&
        mapping->state_.compare_exchange_strong(word, word + MappingState::kBorrower, std::memory_order_acq_rel,
                                                std::memory_order_acquire)) [[likely]]
      return ref;
  }
  for (;;) {
    const MappingRef ref = find_arrived(begin, size);
    if (!ref || borrow(ref))
      return ref;
  }
}

inline bool HostDataToTargetMap::give_back_simply(MappingRef ref) {
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(std::memory_order_acquire);
  do {
    if (MappingState::is_removed(word) || MappingState::borrowers(word) == MappingState::kManyBorrowers) [[unlikely]]
      return false;
  } while (!state.compare_exchange_weak(word, word - MappingState::kBorrower, std::memory_order_acq_rel,
                                        std::memory_order_acquire));
  return true;
}

inline bool HostDataToTargetMap::release_unless_last(MappingRef ref) {
  std::atomic<uint64_t> &state = ref.mapping->state_;
  uint64_t word = state.load(std::memory_order_acquire);
  do {
    if (MappingState::generation(word) != ref.generation && !OMPTARGET_PLANTED("state_released_of_another"))
      return true; // removed since it was found: there is no reference to take away
    const uint32_t count = MappingState::count(word);
    if (count == MappingState::kInfinite || count == 0)
      return true;
    if (count == 1 && !(word & MappingState::kHeld) && !OMPTARGET_PLANTED("state_last_released"))
      return false;
  } while (!state.compare_exchange_weak(word, word - 1, std::memory_order_acq_rel, std::memory_order_acquire));
  return true;
}

} // namespace omptarget
