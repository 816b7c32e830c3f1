// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removed mappings of small data that keep their storage and their place in the index: a construct in a loop maps the
// same variable again and again. There are at most as many as places here, each in the place of its address.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "mapping/mapping.h"

namespace omptarget {

/// Any thread. A place holds a hint: the mapping may be present, or of other data by now.
class DormantMappings {
public:
  /// mutex: that of RareUses, with which mappings are evicted.
  explicit DormantMappings(std::mutex &mutex) : mutex_(mutex) {}

  /// Larger data are not worth keeping: allocating is little of what they cost.
  static constexpr int64_t kMostBytes = 4096;

  /// Before the first construct: no data larger than these become dormant, for users who look for uses of freed memory.
  void limit(int64_t bytes) { most_bytes_ = std::min(bytes, kMostBytes); }
  bool may_keep(int64_t size) const { return size <= most_bytes_; }

  class Place {
  public:
    bool holds(const Mapping &mapping) const { return mapping_.load(std::memory_order_acquire) == &mapping; }
    /// Returns the mapping that was there, which must go.
    Mapping *put(Mapping &mapping) { return mapping_.exchange(&mapping, std::memory_order_acq_rel); }

  private:
    friend class DormantMappings;
    std::atomic<Mapping *> mapping_{nullptr};
    std::atomic<HostPtr> refused_{}; ///< where the last one began that did not get the place
  };
  /// Returns the place of the mapping, which begins there. Null if it should not take the place: another mapping is
  /// dormant there, and this one was not refused before. So one-shot data do not evict one another.
  Place *place_for(HostPtr begin, const Mapping &mapping) {
    Place &place = place_of(begin);
    const Mapping *const dormant = place.mapping_.load(std::memory_order_acquire);
    if (!dormant || dormant == &mapping || !MappingState::is_dormant(dormant->state()) ||
        place.refused_.load(std::memory_order_relaxed) == begin)
      return &place;
    place.refused_.store(begin, std::memory_order_relaxed);
    return nullptr;
  }
  /// The mapping that began there is used for something else.
  void forget(HostPtr begin, Mapping *mapping) {
    place_of(begin).mapping_.compare_exchange_strong(mapping, nullptr, std::memory_order_acq_rel,
                                                     std::memory_order_relaxed);
  }

  size_t count() const {
    size_t dormant = 0;
    for_each([&](Mapping &) { ++dormant; });
    return dormant;
  }
  template <typename Action> void for_each(Action action) const {
    for (const Place &place : places_)
      if (Mapping *const mapping = place.mapping_.load(std::memory_order_acquire))
        if (MappingState::is_dormant(mapping->state()) && &place_of(mapping->begin()) == &place)
          action(*mapping);
  }

  /// Storage of dormant mappings that had to go, to be freed by the caller.
  bool has_evicted() const { return has_evicted_.load(std::memory_order_relaxed); }
  std::vector<DevicePtr> take_evicted() {
    const std::lock_guard lock(mutex_);
    has_evicted_.store(false, std::memory_order_relaxed);
    return std::exchange(evicted_, {});
  }
  /// With the mutex held.
  void add_evicted(DevicePtr block) {
    evicted_.push_back(block);
    has_evicted_.store(true, std::memory_order_relaxed);
  }

private:
  static constexpr unsigned kBits = 8;
  static size_t number_of(HostPtr begin) {
    return static_cast<size_t>(static_cast<uint64_t>(begin) * 0x9E3779B97F4A7C15ull >> (63 - kBits) >> 1);
  }
  Place &place_of(HostPtr begin) { return places_[number_of(begin)]; }
  const Place &place_of(HostPtr begin) const { return places_[number_of(begin)]; }

  std::mutex &mutex_;
  std::vector<DevicePtr> evicted_; // with the mutex held
  std::atomic<bool> has_evicted_{false};
  int64_t most_bytes_ = kMostBytes;
  Place places_[size_t{1} << kBits];
};

} // namespace omptarget
