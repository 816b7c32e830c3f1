// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OMP_SCHEDULE of a device: [monotonic: | nonmonotonic:] static | dynamic | guided | auto [, chunk].
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace omptarget {

struct Schedule {
  uint32_t kind;  ///< omp_sched_t, with the bit of monotonic
  uint32_t chunk; ///< 0: the schedule's own
};

/// Returns the schedule that the text stands for, if any. Letters may be small or large.
std::optional<Schedule> schedule_of(std::string_view text);

/// Returns the schedule that OMP_SCHEDULE of the device of this number asks for. Warns once about nonsense.
std::optional<Schedule> device_schedule(int32_t device);

} // namespace omptarget
