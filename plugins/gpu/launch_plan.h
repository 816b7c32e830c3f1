// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a launch that its numbers decide, and the plans of a kernel, which are made once for the same numbers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "base/dimensions.h"
#include "common/launch_rules.h"
#include "gpu/environment.h"
#include "omptarget/plugin.h"

namespace omptarget::gpu {

struct Grid {
  LaunchShape shape; ///< in x
  uint32_t teams_y = 1, teams_z = 1;
  uint32_t threads_y = 1, threads_z = 1;
  uint32_t shared_memory = 0;                                ///< dynamic, bytes
  uint32_t group_memory = 0;                                 ///< dynamic group-private memory that a team has, bytes
  GroupMemoryFallback fallback = GroupMemoryFallback::kNone; ///< replacement for shared memory

  std::string teams_text() const { return dimensions_text(shape.teams, teams_y, teams_z); }
  std::string threads_text() const { return dimensions_text(shape.threads, threads_y, threads_z); }
  uint64_t teams() const { return uint64_t{shape.teams} * teams_y * teams_z; }
};

/// The driver's part has checked that the device can have it.
struct LaunchPlan {
  Grid grid;
  EnvironmentNeed environment; ///< needs of the launch environment
};

/// The plans of one kernel on one device. Any thread, no lock. A kernel that is launched with ever other numbers,
/// such as the trip count of a loop, gets some plans kept and the others made each time.
class LaunchPlans {
public:
  LaunchPlans() = default;
  LaunchPlans(const LaunchPlans &) = delete;
  LaunchPlans &operator=(const LaunchPlans &) = delete;
  ~LaunchPlans() {
    for (auto &row : rows_)
      delete row.load(std::memory_order_relaxed);
  }

  /// The plan for these numbers, or null.
  const LaunchPlan *find(const __tgt_kernel_args &shape) const {
    for (const auto &one : rows_) {
      const Row *const row = one.load(std::memory_order_acquire);
      if (!row)
        break;
      if (row->has(shape)) [[likely]]
        return &row->plan;
    }
    return nullptr;
  }
  /// Keeps a plan, if there is room.
  void keep(const __tgt_kernel_args &shape, const LaunchPlan &plan);

private:
  /// The key of a plan, and the plan. Arguments do not count, but their number does.
  struct Row {
    uint32_t version, arguments;
    uint64_t trip_count, flags;
    uint32_t teams[3], threads[3];
    uint32_t shared_memory;
    LaunchPlan plan;
    bool has(const __tgt_kernel_args &shape) const {
      return version == shape.Version && arguments == shape.NumArgs && trip_count == shape.Tripcount &&
             flags == shape.Flags && std::memcmp(teams, shape.NumTeams, sizeof teams) == 0 &&
             std::memcmp(threads, shape.ThreadLimit, sizeof threads) == 0 && shared_memory == shape.DynCGroupMem;
    }
  };
  std::array<std::atomic<const Row *>, 8> rows_{}; ///< those behind the first null one are null
};

} // namespace omptarget::gpu
