// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times that the driver leaves in the signals of kernels and copies, by the host's clock.

#include <algorithm>

#include "amdgpu/driver.h"
#include "amdgpu/stream.h"
#include "base/clock.h"

namespace omptarget::amdgpu {

namespace {

constexpr uint64_t kMostAge = 1'000'000'000; // age of a reference
// Tries of making one, of which the shortest counts.
constexpr int kMostTries = 16;
constexpr uint64_t kShortTry = 5'000;

Result<hsa_amd_profiling_time_t> times_of(const Timing::Operation &operation, hsa_agent_t agent) {
  hsa_amd_profiling_time_t times{0, 0};
  const hsa_signal_t signal = operation.signal.handle();
  OMPTARGET_TRY_DURING(operation.is_kernel ? OMPTARGET_HSA(hsa_amd_profiling_get_dispatch_time, agent, signal, &times)
                                           : OMPTARGET_HSA(hsa_amd_profiling_get_async_copy_time, signal, &times),
                       "while reading the time of a %s", operation.is_kernel ? "kernel" : "copy");
  if (times.start == 0 || times.end < times.start)
    return Status::error(format("the driver has no times of a %s", operation.is_kernel ? "kernel" : "copy"));
  return times;
}

} // namespace

Status renew(ClockReference &reference) {
  if (reference.host_ns != 0 && now_ns() - reference.host_ns < kMostAge)
    return Status::ok();
  uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < kMostTries && shortest > kShortTry; ++i) {
    uint64_t ticks = 0;
    const uint64_t before = now_ns();
    OMPTARGET_TRY_DURING(OMPTARGET_HSA(hsa_system_get_info, HSA_SYSTEM_INFO_TIMESTAMP, &ticks),
                         "while comparing the clocks of device and host");
    const uint64_t took = now_ns() - before;
    if (took >= shortest)
      continue;
    shortest = took;
    reference = {ticks, before + took / 2};
  }
  return Status::ok();
}

Result<gpu::Times> read_times(const Timing &timing, hsa_agent_t agent, const ClockReference &reference) {
  if (timing.operations.empty())
    return Status::error("nothing was queued that has a time");
  uint64_t begin = UINT64_MAX, end = 0;
  for (const Timing::Operation &operation : timing.operations) {
    OMPTARGET_TRY_ASSIGN(const hsa_amd_profiling_time_t times, times_of(operation, agent));
    begin = std::min(begin, times.start);
    end = std::max(end, times.end);
  }
  const auto host_time = [&](uint64_t ticks) {
    const auto since = static_cast<double>(static_cast<int64_t>(ticks - reference.ticks));
    return reference.host_ns +
           static_cast<uint64_t>(static_cast<int64_t>(since * 1e9 / static_cast<double>(driver().timestamp_frequency)));
  };
  return gpu::Times{host_time(begin), host_time(end)};
}

} // namespace omptarget::amdgpu
