// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS: host memory that is pinned while it is mapped.
#pragma once

#include <unordered_map>

#include "base/guarded.h"
#include "base/status.h"
#include "common/locked_ranges.h"

namespace omptarget {

/// Any thread, but init() before all others.
class MappedRanges {
public:
  /// The ranges pin, and outlive this.
  explicit MappedRanges(LockedRanges &ranges) : ranges_(ranges) {}
  /// Returns whether the setting asks for pinning.
  static bool is_wanted() { return wanted_pins() != Pins::kOff; }
  /// Reads the setting and forgets what was mapped before.
  void init();
  /// Pins size bytes if the setting asks for it. Fails if they cannot be pinned and the setting says that they must be.
  Status notify_mapped(void *host, size_t size);
  Status notify_unmapped(void *host);
  /// Returns whether anything is pinned at all.
  bool is_on() const { return pins_ != Pins::kOff; }

private:
  enum class Pins { kOff, kOn, kMandatory };
  static Pins wanted_pins();
  LockedRanges &ranges_;
  Pins pins_ = Pins::kOff;
  Guarded<std::unordered_map<void *, uint32_t>> pinned_; ///< addresses that were pinned here, and how often
};

} // namespace omptarget
