// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which attached pointers are as a construct wants them, told without a lock. The table of present data knows all
// attached pointers; this remembers some of those whose copies are written. It may forget, and never says what is not
// so.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "mapping/mapping.h"

namespace omptarget {

/// A pointer in mapped data whose device copy holds a device address (attached pointer; OpenMP 5.2, section 5.8.6).
struct AttachedPointer {
  HostPtr host_address;         ///< of the pointer
  HostPtr host_value;           ///< what the pointer holds on the host
  DevicePtr device_address;     ///< of the pointer's copy
  DevicePtr device_value;       ///< what the copy holds
  const void *writer = nullptr; ///< the construct that is about to write the copy: an identity; null: it is written

  /// Returns whether it points to data that are used in place.
  bool is_in_place() const { return static_cast<uintptr_t>(device_value) == static_cast<uintptr_t>(host_value); }
};

/// Asking: any thread. Noting and forgetting: one thread at a time, with the map's lock held.
class WrittenPointers {
public:
  WrittenPointers() = default;
  WrittenPointers(const WrittenPointers &) = delete;
  WrittenPointers &operator=(const WrittenPointers &) = delete;

  /// Returns whether the pointer has these values and its copy is written. Its mapping is of that generation, since the
  /// caller keeps it.
  bool has(MappingRef mapping, const AttachedPointer &pointer) const {
    const Slot *const slots = slots_.load(std::memory_order_acquire);
    if (!slots)
      return false;
    const Slot &slot = slots[place_of(pointer.host_address)];
    const uint32_t version = slot.version.load(std::memory_order_acquire);
    // Acquire: a reader of what a writer stores now also sees that the writer had begun.
    const bool is_same = slot.mapping.load(std::memory_order_acquire) == mapping.mapping &&
                         (slot.generation.load(std::memory_order_acquire) == mapping.generation ||
                          OMPTARGET_PLANTED("written_any_generation")) &&
                         slot.host_address.load(std::memory_order_acquire) == pointer.host_address &&
                         slot.host_value.load(OMPTARGET_ORDER("written_value_relaxed", std::memory_order_acquire)) ==
                             pointer.host_value &&
                         slot.device_value.load(std::memory_order_acquire) == pointer.device_value;
    const bool is_still = slot.version.load(std::memory_order_relaxed) == version;
    return is_same && (version & 1) == 0 && (is_still || OMPTARGET_PLANTED("written_end_unchecked"));
  }

  void note(MappingRef mapping, const AttachedPointer &pointer) {
    if (!own_slots_) {
      own_slots_ = std::make_unique<Slot[]>(kSlots);
      slots_.store(own_slots_.get(), std::memory_order_release);
    }
    change(own_slots_[place_of(pointer.host_address)], mapping, pointer);
  }

  /// The pointer is going to be written.
  void forget(HostPtr host_address) {
    if (own_slots_ && own_slots_[place_of(host_address)].host_address.load(std::memory_order_relaxed) == host_address)
      change(own_slots_[place_of(host_address)], {}, {});
  }

private:
  /// 40 kB, where there are attached pointers at all.
  static constexpr size_t kSlots = 1024;

  /// The version is odd while the rest changes.
  struct Slot {
    std::atomic<uint32_t> version{0};
    std::atomic<uint32_t> generation{0};
    std::atomic<Mapping *> mapping{nullptr};
    std::atomic<HostPtr> host_address{};
    std::atomic<HostPtr> host_value{};
    std::atomic<DevicePtr> device_value{};
  };

  static size_t place_of(HostPtr address) {
    return (static_cast<uintptr_t>(address) / sizeof(void *) * 0x9E3779B97F4A7C15ull >> 32) % kSlots;
  }

  static void change(Slot &slot, MappingRef mapping, const AttachedPointer &pointer) {
    const uint32_t version = slot.version.load(std::memory_order_relaxed);
    if (!OMPTARGET_PLANTED("written_writer_not_announced"))
      slot.version.store(version + 1, std::memory_order_relaxed);
    // Release: see has().
    slot.mapping.store(mapping.mapping, std::memory_order_release);
    slot.generation.store(mapping.generation, std::memory_order_release);
    slot.host_address.store(pointer.host_address, std::memory_order_release);
    slot.host_value.store(pointer.host_value, std::memory_order_release);
    slot.device_value.store(pointer.device_value, std::memory_order_release);
    slot.version.store(version + 2, OMPTARGET_ORDER("written_end_relaxed", std::memory_order_release));
  }

  std::unique_ptr<Slot[]> own_slots_; // with the map's lock held; stays once it is there
  std::atomic<Slot *> slots_{nullptr};
};

} // namespace omptarget
