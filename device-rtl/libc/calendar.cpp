// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <time.h> by the host's clock, who is asked for the time: in the unit of the host services. clock_gettime has other
// clocks, too, which are the device's.

#include "clocks.h"

namespace omptarget::device_rtl::libc {

struct TimeValue {
  int64_t seconds, microseconds;
};

/// Returns nanoseconds since 1970; 0 if nobody serves.
static __attribute__((noinline)) uint64_t host_time() { return gpu::ask(OMPTARGET_SERVICE_TIME, 0); }

INLINE int32_t read_clock(int32_t clock, TimeSpec *result) {
  if (!is_clock(clock))
    return -1;
  const uint64_t now = clock == kRealTime || clock == kCoarseRealTime ? host_time() : device_time();
  *result = {static_cast<int64_t>(now / kSecond), static_cast<int64_t>(now % kSecond)};
  return now != 0 ? 0 : -1;
}

} // namespace omptarget::device_rtl::libc

using namespace omptarget::device_rtl::libc;

LIBC int64_t time(int64_t *result) {
  const uint64_t now = host_time();
  const int64_t seconds = now != 0 ? static_cast<int64_t>(now / kSecond) : -1;
  if (result)
    *result = seconds;
  return seconds;
}
LIBC int32_t gettimeofday(TimeValue *result, void *) {
  const uint64_t now = host_time();
  *result = {static_cast<int64_t>(now / kSecond), static_cast<int64_t>(now % kSecond / 1000)};
  return now != 0 ? 0 : -1;
}
LIBC int32_t clock_gettime(int32_t clock, TimeSpec *result) { return read_clock(clock, result); }
LIBC int32_t timespec_get(TimeSpec *result, int32_t base) {
  return base == 1 && read_clock(kRealTime, result) == 0 ? base : 0;
}
