// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules by the compiler's numbers.
#pragma once

#include "synchronisation.h"

namespace omptarget::device_rtl::gpu {

enum Schedule : int32_t {
  kStaticChunked = 33,
  kStatic = 34,
  kDynamic = 35,
  kGuided = 36,
  kRuntime = 37,
  kAuto = 38,
  kStaticBalancedChunked = 45,
  kGuidedSimd = 46,
  kRuntimeSimd = 47,
  kOrdered = 64, ///< the first of the ordered ones
  kLastOrdered = 72,
  kDistributeChunked = 91,
  kDistribute = 92,
  kDistributeAll = 93, ///< chunks for the threads of all teams
};
/// Without the bits that say monotonic and nonmonotonic.
inline constexpr int32_t kScheduleOnly = 0x1FFFFFFF;

/// omp_sched_t, without its monotonic bit.
enum ApiSchedule : uint32_t { kApiStatic = 1, kApiDynamic = 2, kApiGuided = 3, kApiAuto = 4 };

} // namespace omptarget::device_rtl::gpu
