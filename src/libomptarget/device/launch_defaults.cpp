// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/launch_defaults.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include "base/format.h"
#include "base/settings.h"
#include "base/text_output.h"

namespace omptarget {

namespace {

int32_t positive_setting(SettingId id, DeviceId device) {
  return static_cast<int32_t>(device_setting_in(id, raw(device), 1, INT32_MAX));
}

/// OMP_NUM_THREADS_DEV may be a list, a number for each level. GPUs have one level.
int32_t first_number(DeviceId device) {
  const auto list = device_setting(SettingId::kDeviceNumThreads, raw(device));
  if (!list)
    return 0;
  char *end = nullptr;
  const long number = std::strtol(list->text, &end, 10);
  if (end != list->text && number > 0 && number <= INT32_MAX && (*end == '\0' || *end == ','))
    return static_cast<int32_t>(number);
  warn_about_device_setting(
      SettingId::kDeviceNumThreads, *list,
      format("'%s' does not begin with a number from 1 to 2147483647; ignored", shown_value(list->text).c_str()));
  return 0;
}

/// Returns the smaller of two bounds, of which 0 is none.
int32_t smaller_bound(int32_t one, int32_t other) {
  return one == 0 || other == 0 ? one + other : std::min(one, other);
}

/// The environment has no level at which parallel regions are active.
bool has_no_levels(DeviceId device) {
  const auto levels = device_setting(SettingId::kDeviceMaxActiveLevels, raw(device));
  return levels && device_setting_in(SettingId::kDeviceMaxActiveLevels, raw(device), 0, INT32_MAX) == 0 &&
         *levels->text == '0';
}

int32_t usual_setting(SettingId id) { return static_cast<int32_t>(setting_or(id, 1, INT32_MAX, 0)); }

} // namespace

LaunchDefaults::LaunchDefaults(DeviceId id)
    : teams_(positive_setting(SettingId::kDeviceNumTeams, id)),
      thread_limit_(positive_setting(SettingId::kDeviceTeamsThreadLimit, id)),
      threads_(has_no_levels(id) ? 1 : first_number(id)), has_variables_(false) {
  for (const SettingId variable :
       {SettingId::kDeviceSchedule, SettingId::kDeviceDynamic, SettingId::kDeviceMaxActiveLevels})
    has_variables_ = has_variables_ || device_setting(variable, raw(id)).has_value();
  is_any_ = has_variables_ || teams_ != 0 || thread_limit_ != 0 || threads_ != 0;
}

int32_t LaunchDefaults::teams() const {
  const int32_t own = teams_.load(std::memory_order_relaxed);
  return own != 0 ? own : usual_setting(SettingId::kNumTeams);
}

int32_t LaunchDefaults::thread_limit() const {
  const int32_t own = thread_limit_.load(std::memory_order_relaxed);
  return own != 0 ? own : usual_setting(SettingId::kTeamsThreadLimit);
}

void LaunchDefaults::apply(__tgt_kernel_args &args) const {
  if ((args.Flags & OMPTARGET_KERNEL_STRICT) != 0)
    return;
  const int32_t teams = teams_.load(std::memory_order_relaxed);
  const int32_t threads = smaller_bound(thread_limit_.load(std::memory_order_relaxed), threads_);
  if (args.NumTeams[0] == 0 && teams > 0) {
    args.NumTeams[0] = static_cast<uint32_t>(teams);
    args.Flags |= OMPTARGET_KERNEL_MOST_TEAMS;
  }
  if (args.ThreadLimit[0] == 0 && threads > 0) {
    args.ThreadLimit[0] = static_cast<uint32_t>(threads);
    args.Flags |= OMPTARGET_KERNEL_MOST_THREADS;
  }
  if (has_variables_)
    args.Flags |= OMPTARGET_KERNEL_VARIABLES;
}

} // namespace omptarget
