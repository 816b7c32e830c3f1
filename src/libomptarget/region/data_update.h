// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// target update (OpenMP 5.2, section 13.9): copies present data, and leaves absent ones alone.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <memory>

#include "device/invariants.h"
#include "region/construct_queue.h"
#include "region/construct_report.h"

namespace omptarget {

/// The copies of one update. The mappings stay borrowed until the copies are made, so that nobody frees or reuses their
/// storage before; others may remove the data. start() is called once. Used by one thread.
class DataUpdate {
public:
  explicit DataUpdate(Device &device, bool is_observed = omptarget::is_observed())
      : device_(device), queue_(device, is_observed) {}
  ~DataUpdate() {
    if (careful_ || !queued_.empty())
      wait().consume(); // after a failure, which is on its way up
  }
  DataUpdate(const DataUpdate &) = delete;
  DataUpdate &operator=(const DataUpdate &) = delete;

  /// Queues the copies of the arguments, whose arrays may go afterwards. code: return address in the code that passes
  /// them. waits: finish() follows at once; then a copy that is alone needs no queue.
  Status start(const MapList &list, const void *code, bool waits);
  /// The same of items that gather_items has made.
  Status start(const MapItems &items, bool waits);
  /// Waits for all copies, and gives the mappings back. Returns the first failure.
  Status finish() {
    Status status;
    if (queue_.is_busy() || careful_)
      status = wait();
    check_present_data(device_);
    return status;
  }
  bool is_busy() const { return queue_.is_busy(); }
  /// Returns whether finish() would not wait.
  Result<bool> is_done() { return queue_.is_done(); }

private:
  /// A copy in data that have arrived, in memory that can be written, without attached pointers when it began. Each has
  /// borrowed its mapping.
  struct PlainCopy {
    Copy copy;
    bool is_to;
  };
  /// All others, and all copies if somebody observes.
  struct Careful {
    llvm::SmallVector<MappingRef, 8> borrowed;
    llvm::SmallVector<MappingRef, 2> awaited; ///< of other constructs: storage or data may not have arrived
    llvm::SmallVector<Copy, 4> to_device, to_host;
  };

  Status gather(const MapList &list, const void *code, bool waits);
  Status copy_argument(const MapList &list, int32_t &i, bool is_alone);
  bool copy_plainly(const MapList &list, int32_t &i, bool is_alone, Status &status);
  Status add_argument(const MapList &list, int32_t i);
  Status add_part(const MapItem &item, HostPtr begin, int64_t size);
  Status divided(const MapItem &item, HostPtr begin, int64_t size, const Found &found) const;
  Found find_and_borrow(HostPtr begin, int64_t size);
  Status copy_carefully(bool waits);
  Status mend(const PlainCopy &plain, Status status);
  Status wait();
  Status give_back(MappingRef ref);
  Careful &careful();

  Device &device_;
  ConstructQueue queue_;
  llvm::SmallVector<PlainCopy, 4> queued_;
  std::unique_ptr<Careful> careful_;
};

} // namespace omptarget
