// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ranges of host memory are pinned, for a device or for all of them, how often each was asked for, and under
// which address devices reach them.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "base/status.h"

namespace omptarget {

/// Where the device reaches host memory that is pinned already; null if it is not.
struct PinnedView {
  void *device = nullptr;
  bool is_counted = false; ///< it was counted once more; otherwise it is memory of a pool of the driver's
  /// Others have pinned it, and may unpin it at any time: no copy may rely on that, and device is null. But kernels may
  /// reach it.
  bool is_unsteady = false;
};

/// Does the pinning for LockedRanges.
class HostPinner {
public:
  virtual ~HostPinner() = default;
  /// Pins the range and returns the device's address of it. Sets *is_foreign if the program had pinned the memory
  /// itself, so that it is not unpinned here.
  virtual Result<void *> pin(void *host, size_t size, bool &is_foreign) = 0;
  virtual Status unpin(void *host) = 0;
  /// Sets the number of devices to pin for, never fewer than before. Memory pinned for fewer is pinned once more before
  /// it is used. Each pin is undone by one unpin().
  virtual size_t reach() { return 1; }
  virtual Result<void *> pin_again(void *host, size_t size) {
    bool is_foreign = false;
    return pin(host, size, is_foreign);
  }
  /// Looks for memory that others than the calling LockedRanges have pinned. unpin() gives counted memory back.
  virtual PinnedView find_pinned(void *, size_t) { return {}; }
};

/// Any thread; the lock is held while pinning, so that no two threads pin the same range.
class LockedRanges {
public:
  explicit LockedRanges(HostPinner &pinner) : pinner_(pinner) {}

  /// Pins a range, or counts it once more if it lies inside of one that is pinned. A range that overlaps one in part
  /// is an error. Returns the device's address of host.
  Result<void *> lock(void *host, size_t size);
  /// As lock() for a range that is pinned already, by anybody: pins nothing else.
  PinnedView lock_if_pinned(void *host, size_t size);
  /// Undoes one lock() of a range that holds this address.
  Status unlock(void *host);
  /// Unpins everything.
  Status unlock_all();
  /// Returns whether all of the range is pinned here.
  bool holds(const void *host, size_t size);

private:
  struct Range {
    size_t size;
    uintptr_t device;
    uint64_t count;
    bool is_foreign;
    size_t reach; ///< reach of the pinner at the last pinning
    int pins = 1; ///< how often it was
  };
  using Ranges = std::map<uintptr_t, Range>;
  Status widen(uintptr_t address, Range &range);
  Status unpin(uintptr_t address, const Range &range);
  Ranges::iterator find(uintptr_t address);
  /// The first range that begins in [address, address + size), where none holds address itself; end() if there is none.
  Ranges::iterator find_behind(uintptr_t address, size_t size);

  HostPinner &pinner_;
  std::mutex mutex_;
  Ranges ranges_;
};

} // namespace omptarget
