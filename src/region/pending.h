// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a construct has begun and ends once its queue is empty. Each destructor ends what is left; whoever owns it has waited for
// the queue before. All are used by one thread.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <utility>

#include "device/device.h"
#include "mapping/mapping.h"

namespace omptarget {

/// Device memory that lasts as long as the work of a construct.
class TemporaryMemory {
public:
  explicit TemporaryMemory(Device &device) : device_(device) {}
  TemporaryMemory(const TemporaryMemory &) = delete;
  TemporaryMemory &operator=(const TemporaryMemory &) = delete;
  ~TemporaryMemory() { // something is left only after a failure, which is on its way up
    if (!is_empty()) [[unlikely]]
      free().consume();
  }

  Result<DevicePtr> allocate(int64_t size);
  bool is_empty() const { return memory_.empty(); }
  /// Frees all of it, whatever fails, and returns the first failure.
  Status free();

private:
  Device &device_;
  llvm::SmallVector<DevicePtr, 2> memory_;
};

/// New mappings whose data have arrived once an event of the queue has happened.
class PendingArrivals {
public:
  explicit PendingArrivals(HostDataToTargetMap &map) : map_(map) {}
  PendingArrivals(const PendingArrivals &) = delete;
  PendingArrivals &operator=(const PendingArrivals &) = delete;
  ~PendingArrivals() {
    if (!is_empty()) [[unlikely]]
      end();
  }

  void add(MappingRef mapping) { mappings_.push_back(mapping); }
  bool is_empty() const { return mappings_.empty(); }
  /// The data are there: nobody waits for the event any more.
  void end() {
    for (const MappingRef &mapping : mappings_)
      map_.end_arrival(mapping);
    mappings_.clear();
  }

private:
  HostDataToTargetMap &map_;
  llvm::SmallVector<MappingRef, 2> mappings_;
};

/// Attached pointers whose device copies the construct writes: other constructs may wait until it has.
class PendingPointers {
public:
  explicit PendingPointers(HostDataToTargetMap &map) : map_(map) {}
  PendingPointers(const PendingPointers &) = delete;
  PendingPointers &operator=(const PendingPointers &) = delete;
  ~PendingPointers() {
    if (!is_empty()) [[unlikely]]
      settle();
  }

  /// Whether the copy is to be written by this construct (HostDataToTargetMap::note_attached).
  bool begin(MappingRef mapping, AttachedPointer pointer, bool waits) {
    pointer.writer = this;
    if (!map_.note_attached(mapping, pointer, waits))
      return false;
    pointers_.emplace_back(mapping, pointer.host_address);
    return true;
  }
  bool is_empty() const { return pointers_.empty(); }
  /// All of them are written.
  void settle() {
    for (const auto &[mapping, address] : pointers_)
      map_.settle_attached(mapping, address, this);
    pointers_.clear();
  }

private:
  HostDataToTargetMap &map_;
  llvm::SmallVector<std::pair<MappingRef, HostPtr>, 2> pointers_;
};

} // namespace omptarget
