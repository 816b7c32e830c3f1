// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work that a construct has begun and ends once its queue is empty. Each destructor ends what is left; its owner has
// waited for the queue before. All are used by one thread.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <memory>
#include <utility>

#include "device/device.h"
#include "mapping/mapping.h"

namespace omptarget {

/// Things that have begun, and what ends them.
template <typename Owner, typename Thing> class Pending {
public:
  explicit Pending(Owner &owner) : owner_(owner) {}
  Pending(const Pending &) = delete;
  Pending &operator=(const Pending &) = delete;

  bool is_empty() const { return things_.empty(); }

protected:
  ~Pending() = default;

  Owner &owner_;
  llvm::SmallVector<Thing, 2> things_;
};

/// Device memory that lasts as long as the work of a construct.
class TemporaryMemory : public Pending<Device, DevicePtr> {
public:
  using Pending::Pending;
  ~TemporaryMemory() { // something is left only after a failure, which is on its way up
    if (!is_empty()) [[unlikely]]
      free().consume();
  }

  Result<DevicePtr> allocate(int64_t size);
  /// Frees all of it, whatever fails, and returns the first failure.
  Status free();
};

/// New mappings whose data have arrived once an event of the queue has happened.
class PendingArrivals : public Pending<Device, MappingRef> {
public:
  using Pending::Pending;
  ~PendingArrivals() {
    if (!is_empty()) [[unlikely]]
      end();
  }

  /// From now on this construct is a user of the arrival.
  void take(Arrival &arrival) { arrivals_.push_back(&arrival); }
  /// Adds a mapping that was published with such an arrival.
  void add(MappingRef mapping) { things_.push_back(mapping); }
  /// The data are there: nobody waits for them any more.
  void end() {
    for (const MappingRef &mapping : things_)
      mapping.end_arrival();
    things_.clear();
    for (Arrival *const arrival : arrivals_)
      owner_.arrivals().leave(*arrival);
    arrivals_.clear();
  }

private:
  llvm::SmallVector<Arrival *, 2> arrivals_;
};

/// Attached pointers whose device copies the construct writes: other constructs may wait until it has.
class PendingPointers : public Pending<AttachedPointers, std::pair<MappingRef, HostPtr>> {
public:
  using Pending::Pending;
  ~PendingPointers() {
    if (!is_empty()) [[unlikely]]
      settle();
  }

  /// Returns whether the copy is to be written by this construct (AttachedPointers::note).
  bool begin(MappingRef mapping, AttachedPointer pointer, bool waits) {
    pointer.writer = this;
    if (!owner_.note(mapping, pointer, waits))
      return false;
    things_.emplace_back(mapping, pointer.host_address);
    return true;
  }
  /// All of them are written.
  void settle() {
    for (const auto &[mapping, address] : things_)
      owner_.settle(mapping, address, this);
    things_.clear();
  }
};

} // namespace omptarget
