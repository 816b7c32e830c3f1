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
  /// Pins by these, which outlive it.
  explicit MappedRanges(LockedRanges &ranges) : ranges_(ranges) {}
  /// Reads the setting and forgets what was mapped before.
  void init();
  /// Pins if it is asked for; that it cannot be is a failure only if it is mandatory.
  Status notify_mapped(void *host, size_t size);
  Status notify_unmapped(void *host);
  /// Whether anything is pinned at all.
  bool is_on() const { return pins_ != Pins::kOff; }

private:
  enum class Pins { kOff, kOn, kMandatory };
  LockedRanges &ranges_;
  Pins pins_ = Pins::kOff;
  Guarded<std::unordered_map<void *, uint32_t>> pinned_; ///< what was pinned here, and how often
};

} // namespace omptarget
