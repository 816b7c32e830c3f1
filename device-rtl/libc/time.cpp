// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <time.h> by the device's clock, which omp_get_wtime reads, too. calendar.cpp has what asks the host.

#include "clocks.h"

using namespace omptarget::device_rtl::libc;

/// In CLOCKS_PER_SEC, which is a million.
LIBC int64_t clock() { return static_cast<int64_t>(device_time() / 1000); }
LIBC int32_t clock_getres(int32_t clock, TimeSpec *result) {
  if (!is_clock(clock))
    return -1;
  const uint64_t tick = kSecond / ticks_per_second();
  if (result)
    *result = {0, static_cast<int64_t>(gpu::larger(tick, uint64_t{1}))};
  return 0;
}
LIBC double difftime(int64_t end, int64_t begin) { return static_cast<double>(end - begin); }
