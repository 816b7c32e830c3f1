// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock of profiles, of OMPT's device traces, and of the times that plugins tell.
#pragma once

#include <cstdint>
#include <time.h>

namespace omptarget {

/// Nanoseconds of the monotonic clock.
inline uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

} // namespace omptarget
