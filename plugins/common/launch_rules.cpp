// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/launch_rules.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/settings.h"

namespace omptarget {

namespace {

uint64_t ceil_div(uint64_t value, uint64_t divisor) { return value / divisor + (value % divisor != 0 ? 1 : 0); }

uint32_t positive_setting(SettingId id) {
  if (!setting_is_set(id))
    return 0;
  const int64_t value = setting_integer(id);
  if (value > 0 && value <= std::numeric_limits<int32_t>::max())
    return static_cast<uint32_t>(value);
  warn_about_setting(id, format("%lld is no number from 1 to 2147483647; ignored", static_cast<long long>(value)));
  return 0;
}

void lower(uint32_t &limit, SettingId id) {
  if (const uint32_t value = positive_setting(id))
    limit = std::min(limit, value);
}

uint32_t choose_threads(const KernelTraits &traits, const LaunchLimits &limits, const ShapeRequest &request) {
  uint32_t most = limits.max_threads;
  if (traits.max_threads > 0)
    most = std::min(most, static_cast<uint32_t>(traits.max_threads));
  if (request.thread_limit > 0) {
    uint64_t wanted = static_cast<uint32_t>(request.thread_limit);
    if (request.exec_mode == ExecMode::kBare || request.is_strict)
      return static_cast<uint32_t>(wanted);
    if (request.exec_mode == ExecMode::kGeneric)
      wanted += limits.warp_size;
    return static_cast<uint32_t>(std::min<uint64_t>(most, wanted));
  }
  uint32_t preferred = limits.default_threads;
  if (traits.min_threads > 0)
    preferred = std::max(preferred, static_cast<uint32_t>(traits.min_threads));
  return std::min(most, preferred);
}

// Rather more teams with few threads than too few teams to fill the device.
uint64_t teams_of_loop(const KernelTraits &traits, const LaunchLimits &limits, const ShapeRequest &request,
                       uint32_t &threads) {
  const uint64_t trips = request.trip_count;
  const uint64_t teams = limits.default_teams;
  const bool may_reduce = traits.source == KernelTraits::Source::kEnvironment && request.thread_limit <= 0;
  if (!may_reduce || trips / threads >= teams)
    return ceil_div(trips, threads);
  const uint32_t wanted =
      limits.min_threads_for_low_trip_count != 0 ? limits.min_threads_for_low_trip_count : limits.warp_size;
  const uint32_t least = std::max(1u, std::min(threads, wanted));
  if (trips >= teams * least)
    threads = std::min<uint32_t>(threads, std::bit_ceil(static_cast<uint32_t>(ceil_div(trips, teams))));
  else
    threads = least;
  return ceil_div(trips, threads);
}

uint64_t choose_teams(const KernelTraits &traits, const LaunchLimits &limits, const ShapeRequest &request,
                      uint32_t &threads) {
  const auto most = [&] {
    return std::min<uint64_t>(limits.max_teams, std::max<uint64_t>(1, limits.max_items / threads));
  };
  if (request.num_teams > 0)
    return request.exec_mode == ExecMode::kBare || request.is_strict
               ? static_cast<uint32_t>(request.num_teams)
               : std::min<uint64_t>(static_cast<uint32_t>(request.num_teams), most());
  uint64_t teams = limits.default_teams;
  if (request.trip_count > 0) {
    switch (request.exec_mode) {
    case ExecMode::kSpmd: teams = teams_of_loop(traits, limits, request, threads); break;
    case ExecMode::kSpmdNoLoop:
      return std::min<uint64_t>(ceil_div(request.trip_count, threads), std::numeric_limits<int32_t>::max());
    case ExecMode::kGeneric:
    case ExecMode::kGenericSpmd: teams = request.trip_count; break;
    case ExecMode::kBare: break;
    }
    if (limits.reuse_blocks)
      teams = std::min<uint64_t>(teams, limits.default_teams);
  }
  return std::min(teams, most());
}

} // namespace

void apply_launch_settings(LaunchLimits &limits) {
  lower(limits.most_teams, SettingId::kNumTeams);
  lower(limits.max_teams, SettingId::kTeamLimit);
  lower(limits.most_threads, SettingId::kTeamsThreadLimit);
  if (const uint32_t least = positive_setting(SettingId::kMinThreadsForLowTripCount))
    limits.min_threads_for_low_trip_count = least;
  limits.reuse_blocks = setting_flag(SettingId::kReuseBlocksForHighTripCount);
  if (setting_text(SettingId::kSharedMemorySize))
    limits.shared_memory = positive_setting(SettingId::kSharedMemorySize);
}

/// Returns the limits with the bounds that hold for the request.
static LaunchLimits bounded(LaunchLimits limits, const ShapeRequest &request) {
  const uint32_t teams = request.bounds_teams ? static_cast<uint32_t>(request.num_teams) : limits.most_teams;
  uint64_t threads = request.bounds_threads ? static_cast<uint32_t>(request.thread_limit) : limits.most_threads;
  if (request.bounds_threads && request.exec_mode == ExecMode::kGeneric)
    threads += limits.warp_size;
  limits.max_teams = std::min(limits.max_teams, teams);
  limits.max_threads = static_cast<uint32_t>(std::min<uint64_t>(limits.max_threads, threads));
  limits.default_teams = std::min(limits.default_teams, limits.max_teams);
  limits.default_threads = std::min(limits.default_threads, limits.max_threads);
  return limits;
}

uint32_t default_threads_of(const KernelTraits &traits, const LaunchLimits &limits) {
  const ShapeRequest request{traits.exec_mode, 0, 0, 0};
  return std::max(1u, choose_threads(traits, bounded(limits, request), request));
}

LaunchShape choose_launch_shape(const KernelTraits &traits, const LaunchLimits &device_limits, ShapeRequest request) {
  const LaunchLimits limits = bounded(device_limits, request);
  request.num_teams = request.bounds_teams ? 0 : request.num_teams;
  request.thread_limit = request.bounds_threads ? 0 : request.thread_limit;
  uint32_t threads = std::max(1u, choose_threads(traits, limits, request));
  const uint64_t teams = std::max<uint64_t>(1, choose_teams(traits, limits, request, threads));
  return {static_cast<uint32_t>(teams), threads};
}

} // namespace omptarget
