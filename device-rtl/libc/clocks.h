// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clocks of <time.h>.
#pragma once

#include "libc.h"

RTL double omp_get_wtick();

namespace omptarget::device_rtl::libc {

inline constexpr uint64_t kSecond = 1000000000;
/// Clocks of Linux: two that tell the calendar's time, and the greatest number of one that counts from some begin.
inline constexpr int32_t kRealTime = 0, kCoarseRealTime = 5, kLastClock = 7;

struct TimeSpec {
  int64_t seconds, nanoseconds;
};

INLINE uint64_t ticks_per_second() { return static_cast<uint64_t>(1 / omp_get_wtick() + 0.5); }
/// Returns nanoseconds of the device's clock.
INLINE uint64_t device_time() {
  const uint64_t ticks = gpu::target::ticks(), per_second = ticks_per_second();
  return ticks / per_second * kSecond + ticks % per_second * kSecond / per_second;
}
INLINE bool is_clock(int32_t clock) {
  if (clock >= 0 && clock <= kLastClock)
    return true;
  *__errno_location() = kInvalidArgument;
  return false;
}

} // namespace omptarget::device_rtl::libc
