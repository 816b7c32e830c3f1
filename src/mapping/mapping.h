// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One range of host memory that is present on a device: where it lies and how often it is referenced.
//
// Mappings are type-stable: HostDataToTargetMap reuses them and never gives their memory back, so that a reader that
// lost a race reads stale values and never freed memory. The generation in the state word tells it that it lost.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "base/address.h"
#include "base/sched_point.h"
#include "mapping/map_type.h"

namespace omptarget {

/// A pointer in mapped data whose device copy holds a device address (attached pointer; OpenMP 5.2, section 5.8.6).
struct AttachedPointer {
  HostPtr host_address;         ///< of the pointer
  HostPtr host_value;           ///< what the pointer holds on the host
  DevicePtr device_address;     ///< of the pointer's copy
  DevicePtr device_value;       ///< what the copy holds
  const void *writer = nullptr; ///< the construct that is about to write the copy: an identity; null: it is written
};

/// The state that is packed into one word, so that retaining, releasing, reviving, borrowing and removing are one
/// compare-and-swap each, which fails if the mapping was replaced.
struct MappingState {
  static constexpr uint64_t kCountMask = 0x03ffffff;
  static constexpr uint32_t kInfinite = 0x03ffffff; ///< a count that gets here stays (infinite_count.h)
  /// A construct copies the data back to the host: it has the copy-back turn. Nobody else copies them back meanwhile,
  /// nor removes the mapping; the construct that ends its turn removes it if it is unused by then.
  static constexpr uint64_t kTurn = 1ull << 26;
  /// With kTurn: the last reference has been taken since. Constructs that enter the data wait for the end of the
  /// turn, so that either they came first, and nothing is copied back, or they come after the copy.
  static constexpr uint64_t kLeft = 1ull << 32;
  static constexpr uint64_t kPinned = 1ull << 27;  ///< there are pins
  static constexpr uint64_t kHeld = 1ull << 28;    ///< the hold count is not zero
  static constexpr uint64_t kStorage = 1ull << 29; ///< the device address is known
  /// The data that the creating construct copies have arrived. Without it nobody but the creator removes the mapping.
  static constexpr uint64_t kReady = 1ull << 30;
  static constexpr uint64_t kArriving = 1ull << 31; ///< with kReady: they have arrived once an event has happened
  static constexpr uint64_t kUse = kCountMask | kTurn | kLeft | kPinned | kHeld | kReady | kArriving;
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
  /// And nobody copies them back: then a construct may use them without a plan.
  static bool is_settled(uint64_t word) { return (word & (kReady | kArriving | kTurn)) == kReady; }
  /// The word of a mapping after a reference was released.
  static uint64_t released(uint64_t word) { return (word & kTurn) != 0 && is_unused(word) ? word | kLeft : word; }
};

/// State that few mappings have. Type-stable, too: late readers of hold_count may come. Everything else is read and
/// written with the map's mutex held.
struct MappingExtras {
  std::atomic<uint32_t> hold_count{0}; ///< changed with the map's mutex held
  uint32_t pins = 0;                   ///< constructs whose queued work uses the mapping after they released it
  uint32_t more_borrowers = 0;         ///< beyond those in the state word
  uint32_t base_pointers = 0; ///< dynamic references that stand for base pointers which the program did not name
  std::map<HostPtr, AttachedPointer> attached; ///< by host address of the pointer
  MappingExtras *next_free = nullptr;
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
  /// For who keeps the mapping, by a reference, a pin or borrowed; others: omptarget::target_of.
  DevicePtr target_of(HostPtr host) const { return target_begin() + (host - begin()); }

  uint64_t state() const { return state_.load(std::memory_order_acquire); }
  uint32_t hold_count() const {
    const MappingExtras *const extras = this->extras();
    return extras ? extras->hold_count.load(std::memory_order_relaxed) : 0;
  }
  uint32_t generation() const { return MappingState::generation(state()); }
  bool has_attached_pointers() const { return (extras_.load(std::memory_order_acquire) & kHasAttached) != 0; }

  /// Blocks until storage (or ready) is published or the mapping is gone; whether it is still the same one.
  bool wait_for(uint64_t state_bit, uint32_t generation) const;
  /// Blocks until nobody has the turn, or the mapping is gone.
  void wait_for_turn(uint32_t generation) const;

  /// Returns whether that construct is creating it: an identity, never followed. A construct that finds its own may
  /// trust it: nobody else removes what is not ready.
  bool is_created_by(const void *creator) const {
    return (origin_.load(std::memory_order_relaxed) & ~kPaddingMask) == origin_of(creator);
  }

private:
  friend class HostDataToTargetMap;
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

  std::atomic<uint64_t> state_{0};
  std::atomic<HostPtr> begin_{};
  std::atomic<HostPtr> end_{};
  std::atomic<HostPtr> base_{};
  std::atomic<DevicePtr> target_begin_{};
  std::atomic<const char *> name_{nullptr};
  /// The construct that creates it, or with kArriving its Arrival, and the padding; of a free one, the next free one.
  /// Stored with release: a thread that reads another value than it looked for reads another state as well.
  std::atomic<uint64_t> origin_{kNotOwn};
  std::atomic<uintptr_t> extras_{0}; ///< address, or 0, and kHasAttached; changed with the map's mutex held
};
static_assert(sizeof(Mapping) == 64, "one cache line");

/// Where host lies on the device, if the mapping is still the one that was found, and has storage: what was read before
/// the check is of the mapping that the check is about.
inline std::optional<DevicePtr> target_of(MappingRef ref, HostPtr host) {
  const DevicePtr target = ref.mapping->target_of(host);
  const uint64_t word = ref.mapping->state();
  if (MappingState::generation(word) != ref.generation || !(word & MappingState::kStorage)) [[unlikely]]
    return std::nullopt;
  return target;
}

} // namespace omptarget
