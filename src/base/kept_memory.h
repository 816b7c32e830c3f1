// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/settings.h"

namespace omptarget {

/// Returns the bytes of the largest memory of a device that is kept when the program frees it
/// (LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD). Unless that is set, none is kept for users who look for uses of freed
/// memory (OFFLOAD_TRACK_ALLOCATION_TRACES), and memory of any size for others.
inline int64_t largest_kept_memory() {
  const int64_t otherwise = setting_flag(SettingId::kTrackAllocations) ? 0 : INT64_MAX;
  return setting_or(SettingId::kMemoryManagerThreshold, 0, INT64_MAX, otherwise);
}

} // namespace omptarget
