// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One range of host memory that is present on a device: where it lies and how often it is referenced. A construct works
// with it through a MappingRef, and with the table of all mappings (host_data_to_target_map.h) to find, make and remove
// it.
//
// Mappings are type-stable: HostDataToTargetMap reuses them and never gives their memory back, so that a reader that
// lost a race reads stale values and never freed memory. The generation in the state word tells it that it lost.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/address.h"
#include "base/sched_point.h"
#include "mapping/arrival.h"

namespace omptarget {

struct MappingExtras;

/// The state that is packed into one word, so that retaining, releasing, reviving, borrowing and removing are one
/// compare-and-swap each, which fails if the mapping was replaced.
struct MappingState {
  static constexpr uint64_t kCountMask = 0x03ffffff;
  static constexpr uint32_t kInfinite = 0x03ffffff; ///< a count that gets here stays
  /// A construct copies the data back to the host: it has the copy-back turn. Nobody else copies them back meanwhile,
  /// nor removes the mapping; the construct that ends its turn removes it if it is unused by then.
  static constexpr uint64_t kTurn = 1ull << 26;
  /// With kTurn: the last reference has been taken since. Constructs that enter the data wait for the end of the
  /// turn, so that either they came first, and nothing is copied back, or they come after the copy.
  static constexpr uint64_t kLastReleased = 1ull << 32;
  static constexpr uint64_t kInTurn = kTurn | kLastReleased; ///< a turn that began with the last reference
  static constexpr uint64_t kHeld = 1ull << 28;              ///< the hold count is not zero
  static constexpr uint64_t kStorage = 1ull << 29;           ///< the device address is known
  /// The data that the creating construct copies have arrived. Without it nobody but the creator removes the mapping.
  static constexpr uint64_t kReady = 1ull << 30;
  static constexpr uint64_t kArriving = 1ull << 31;     ///< with kReady: they have arrived once an event has happened
  static constexpr uint64_t kReadyAndLast = kReady | 1; ///< of kUse: one reference is left
  static constexpr uint64_t kUse = kCountMask | kTurn | kLastReleased | kHeld | kReady | kArriving;
  static constexpr unsigned kBorrowersShift = 33; ///< who uses the storage without a reference
  static constexpr uint64_t kBorrower = 1ull << kBorrowersShift;
  static constexpr uint32_t kManyBorrowers = 15; ///< or more: Mapping::more_borrowers_
  static constexpr unsigned kGenerationShift = 37;

  static uint32_t count(uint64_t word) { return static_cast<uint32_t>(word & kCountMask); }
  /// For people and tools: an infinite count is UINT32_MAX.
  static uint32_t reported_count(uint64_t word) { return count(word) == kInfinite ? UINT32_MAX : count(word); }
  static uint32_t borrowers(uint64_t word) { return static_cast<uint32_t>(word >> kBorrowersShift) & kManyBorrowers; }
  static uint32_t generation(uint64_t word) { return static_cast<uint32_t>(word >> kGenerationShift); }
  static bool is_unused(uint64_t word) { return count(word) == 0 && !(word & kHeld); }
  /// Generations of mappings in the table are even, those of removed ones the next odd number.
  static bool is_removed(uint64_t word) { return (generation(word) & 1) != 0; }
  /// Returns whether a removed mapping keeps its place in the index and its storage, since the same range is likely
  /// to be entered again.
  static bool is_dormant(uint64_t word) { return is_removed(word) && (word & kStorage) != 0; }
  /// Returns the part of the word without generation, borrowers and storage: its users, and whether its data are there.
  static uint64_t use(uint64_t word) { return word & kUse; }
  /// Generations, shifted to their place in the word: next_live is that of what is made of a removed mapping,
  /// next_removed that of a mapping that goes.
  static uint64_t next_live(uint64_t word) {
    const uint32_t again = OMPTARGET_PLANTED("state_same_generation_again") ? 2 : 0;
    return static_cast<uint64_t>((generation(word) | 1u) + 1 - again) << kGenerationShift;
  }
  static uint64_t next_removed(uint64_t word) {
    return static_cast<uint64_t>(generation(word) + 1) << kGenerationShift;
  }
  /// The word of a mapping that goes: only those who borrowed it are still counted.
  static uint64_t removed(uint64_t word) {
    return next_removed(word) | static_cast<uint64_t>(borrowers(word)) << kBorrowersShift;
  }
  /// Returns whether none of its data is on the way any more. False for a removed one, which is not ready.
  static bool has_arrived(uint64_t word) { return (word & (kReady | kArriving)) == kReady; }
  /// And nobody copies them back: then a construct may use them at once.
  static bool is_settled(uint64_t word) { return (word & (kReady | kArriving | kTurn)) == kReady; }
  /// The word of a mapping after a reference was released.
  static uint64_t released(uint64_t word) {
    return (word & kTurn) != 0 && is_unused(word) ? word | kLastReleased : word;
  }
};

/// Plain fields are written only while the mapping is unreachable, or by the construct that created it before it
/// publishes storage; readers that race with reuse are caught by the generation. Any thread may read.
class alignas(64) Mapping {
public:
  // Acquire, since a reader of the index checks afterwards that nobody was changing it.
  HostPtr begin() const { return begin_.load(std::memory_order_acquire); }
  HostPtr end() const { return end_.load(std::memory_order_acquire); }
  HostPtr base() const { return base_.load(std::memory_order_acquire); }
  int64_t size() const { return end() - begin(); }
  /// Device address of begin(). Only once storage is published.
  DevicePtr target_begin() const { return target_begin_.load(std::memory_order_acquire); }
  /// Returns the allocated block: target_begin() less the padding. Null if the memory is not the mapping's own.
  DevicePtr allocation() const {
    const uint64_t padding = origin_.load(std::memory_order_relaxed) & kPaddingMask;
    return padding == kNotOwn ? DevicePtr::kNull : target_begin() + -static_cast<int64_t>(padding);
  }
  const char *name() const { return name_.load(std::memory_order_relaxed); }
  /// For who keeps the mapping, by a reference, a turn or borrowed; others: omptarget::target_of.
  DevicePtr target_of(HostPtr host) const { return target_begin() + (host - begin()); }

  uint64_t state() const { return state_.load(std::memory_order_acquire); }
  uint32_t hold_count() const;
  uint32_t generation() const { return MappingState::generation(state()); }
  /// Returns whether it has, or has had, uses of RareUses: holds, attached pointers, base pointers, or many borrowers.
  bool has_extras() const { return extras_.load(std::memory_order_acquire) != 0; }
  bool has_attached_pointers() const { return (extras_.load(std::memory_order_acquire) & kHasAttached) != 0; }

  /// Returns whether that construct is creating it: an identity, never followed. A construct that finds its own may
  /// trust it: nobody else removes what is not ready.
  bool is_created_by(const void *creator) const {
    return (origin_.load(std::memory_order_relaxed) & ~kPaddingMask) == origin_of(creator);
  }

private:
  friend struct MappingRef;
  friend class HostDataToTargetMap;
  friend class MappingStore;
  friend class RareUses;
  friend class AttachedPointers;
  static constexpr unsigned kPaddingBits = 8; ///< addresses of processes leave so many bits, at least
  static constexpr uint64_t kPaddingMask = (uint64_t{1} << kPaddingBits) - 1;
  static constexpr uint64_t kNotOwn = kPaddingMask;
  static constexpr uintptr_t kHasAttached = 1;
  static uint64_t origin_of(const void *creator) {
    return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(creator)) << kPaddingBits;
  }
  MappingExtras *extras() const {
    return reinterpret_cast<MappingExtras *>(extras_.load(std::memory_order_acquire) & ~kHasAttached);
  }
  /// Replaces the state word if it is still word; otherwise word is what it is now.
  bool change_state(uint64_t &word, uint64_t next) {
    return state_.compare_exchange_weak(word, next, std::memory_order_acq_rel, std::memory_order_acquire);
  }

  std::atomic<uint64_t> state_{0};
  std::atomic<HostPtr> begin_{};
  std::atomic<HostPtr> end_{};
  std::atomic<HostPtr> base_{};
  std::atomic<DevicePtr> target_begin_{};
  std::atomic<const char *> name_{nullptr};
  /// The construct that creates it, or with kArriving its Arrival, and the padding; of a free one, the next free one.
  /// Stored with release: a thread that reads another value than it looked for reads another state as well.
  std::atomic<uint64_t> origin_{kNotOwn};
  std::atomic<uintptr_t> extras_{0}; ///< address, or 0, and kHasAttached; changed with the mutex of RareUses held
};
static_assert(sizeof(Mapping) == 64, "one cache line");

/// The action of a release that takes the last reference: kTakeTurn takes the copy-back turn in the same step.
enum class OnLast : bool { kNothing, kTakeTurn };

/// The result of a release.
struct Released {
  bool is_valid;          ///< false: the mapping had been removed meanwhile
  bool reached_zero;      ///< this call took the last reference
  uint32_t count;         ///< dynamic count afterwards
  bool has_turn = false;  ///< and the turn
  bool must_wait = false; ///< nothing has happened: it is the last reference, and another construct has the turn
};

/// The result of retaining.
struct [[nodiscard]] Retained {
  bool is_valid = false; ///< false: the mapping had been removed meanwhile
  bool must_wait =
      false; ///< the data are being copied back by a construct that was the last one (MappingState::kLastReleased)
  explicit operator bool() const { return is_valid; }
};

/// The answer to a request for the turn of a mapping.
enum class [[nodiscard]] Turn : uint8_t {
  kTaken,
  kBusy, ///< another construct has it
  kGone, ///< the mapping is removed, or is about to be: another construct has the turn, and nobody has a reference
};

/// A mapping and the generation that it had when it was found: tells whether it still is the same one.
/// Any thread. Each function reads or changes the state word in one step, and takes no lock. None does anything to a
/// mapping that was removed since it was found, unless it says that its caller keeps the mapping.
struct MappingRef {
  Mapping *mapping = nullptr;
  uint32_t generation = 0;
  explicit operator bool() const { return mapping != nullptr; }
  bool operator==(const MappingRef &) const = default;

  bool is_of(uint64_t word) const { return MappingState::generation(word) == generation; }
  bool is_removed() const { return !is_of(mapping->state()); }

  // Dynamic references. RareUses has those of ompx_hold.
  /// Adds one. Revives a mapping whose count is zero.
  Retained retain() const;
  /// Takes one away; with reset, all. Infinite counts and zero stay as they are.
  Released release(bool reset, OnLast on_last = OnLast::kNothing) const;
  /// As release, if that is the last one; otherwise nothing.
  Released release_if_last(OnLast on_last = OnLast::kNothing) const;
  /// Takes one away, unless it is the last one: false, and nothing has happened. False as well if there is none: others
  /// are about to remove the mapping, or copy it back, and Exiting sees to that.
  bool release_unless_last() const;

  // The copy-back turn. HostDataToTargetMap::end_use, or for plain data become_dormant, follows once the bytes
  // have landed on the host and attached pointers are restored.
  /// Takes the turn without releasing anything; never waits.
  Turn take_turn() const;
  /// Takes the last reference away, and the turn. False: it is not the last one, or there is more to do, and nothing
  /// has happened.
  bool release_for_turn() const;
  /// Blocks until nobody has the turn, or the mapping is gone. The caller has no turn.
  void wait_for_turn() const;

  /// Gives back what was borrowed, if nothing else is to be done: otherwise false, and HostDataToTargetMap::give_back
  /// does it.
  bool give_back_simply() const;

  // The creating construct, which keeps the mapping, tells:
  /// Storage was allocated. allocation: what to free later; the data come after the padding. is_ready: as
  /// publish_ready, whose result it returns, of a mapping whose data are undefined.
  bool publish_storage(DevicePtr allocation, uint8_t padding = 0, bool is_ready = false) const;
  /// The same of data that the device has in the host's memory, which is not the mapping's to free.
  bool publish_in_place(bool is_ready) const;
  /// The data have arrived, or have once the event of this arrival has happened. False if all references went before:
  /// the mapping is the creator's to remove.
  [[nodiscard]] bool publish_ready(const Arrival *arrival = nullptr) const;
  /// The same of a mapping that has storage, no creator and no event.
  [[nodiscard]] bool publish_copied() const;
  /// It has waited for its own queue: nobody waits for the event from now on.
  void end_arrival() const;

  /// Blocks until storage (or ready) is published or the mapping is gone; whether it is still the same one.
  bool wait_for(uint64_t state_bit) const;
  /// The arrival of data that are on their way, with the caller as one more user, or null if they have arrived. The
  /// caller asks is_arriving() before it waits for the event: if not, the arrival is that of other data by now.
  Arrival *use_arrival() const;
  bool is_arriving() const {
    const uint64_t word = mapping->state();
    return is_of(word) && (word & MappingState::kArriving);
  }

private:
  friend class HostDataToTargetMap;
  friend class RareUses;
  Retained retain_at_limit() const;
  /// word: the state before. False if the mapping has been removed since it was found.
  bool set_bit(uint64_t bit, uint64_t &word) const;
};

inline bool MappingRef::give_back_simply() const {
  uint64_t word = mapping->state();
  do {
    if (MappingState::is_removed(word) || MappingState::borrowers(word) == MappingState::kManyBorrowers) [[unlikely]]
      return false;
  } while (!mapping->change_state(word, word - MappingState::kBorrower));
  return true;
}

inline bool MappingRef::release_unless_last() const {
  uint64_t word = mapping->state();
  do {
    if (!is_of(word) && !OMPTARGET_PLANTED("state_released_of_another"))
      return true; // removed since it was found: there is no reference to take away
    const uint32_t count = MappingState::count(word);
    if (count == MappingState::kInfinite || count == 0)
      return count != 0 || (word & MappingState::kHeld) != 0;
    if (count == 1 && !(word & MappingState::kHeld) && !OMPTARGET_PLANTED("state_last_released"))
      return false;
  } while (!mapping->change_state(word, word - 1));
  return true;
}

/// Where host lies on the device, if the mapping is still the one that was found, and has storage: what was read before
/// the check is of the mapping that the check is about.
inline std::optional<DevicePtr> target_of(MappingRef ref, HostPtr host) {
  const DevicePtr target = ref.mapping->target_of(host);
  const uint64_t word = ref.mapping->state();
  if (!ref.is_of(word) || !(word & MappingState::kStorage)) [[unlikely]]
    return std::nullopt;
  return target;
}

} // namespace omptarget
