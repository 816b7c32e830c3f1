// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/device_variables.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "common/schedule_text.h"
#include "host/device_number.h"
#include "host/openmp_function.h"
#include "omptarget/types.h"

namespace omptarget::host {

static_assert(kVariableFlags ==
              (OMPTARGET_KERNEL_MOST_TEAMS | OMPTARGET_KERNEL_MOST_THREADS | OMPTARGET_KERNEL_VARIABLES));

namespace {

/// Functions of the OpenMP runtime; each is null if it has none.
struct Runtime {
  int (*const max_threads)() = openmp_function<int()>("omp_get_max_threads");
  void (*const set_threads)(int) = openmp_function<void(int)>("omp_set_num_threads");
  int (*const processors)() = openmp_function<int()>("omp_get_num_procs");
  int (*const dynamic)() = openmp_function<int()>("omp_get_dynamic");
  void (*const set_dynamic)(int) = openmp_function<void(int)>("omp_set_dynamic");
  int (*const levels)() = openmp_function<int()>("omp_get_max_active_levels");
  void (*const set_levels)(int) = openmp_function<void(int)>("omp_set_max_active_levels");
  void (*const schedule)(int *, int *) = openmp_function<void(int *, int *)>("omp_get_schedule");
  void (*const set_schedule)(int, int) = openmp_function<void(int, int)>("omp_set_schedule");
  int32_t (*const thread_num)(ident_t *) = openmp_function<int32_t(ident_t *)>("__kmpc_global_thread_num");
  void (*const push_num_teams)(ident_t *, int32_t, int32_t, int32_t) =
      openmp_function<void(ident_t *, int32_t, int32_t, int32_t)>("__kmpc_push_num_teams");
};

const Runtime &runtime() {
  static const Runtime instance;
  return instance;
}

/// The kernel's teams construct, which says neither itself, takes both. More threads than there are processors for
/// would only be warned about.
void push_teams(const LaunchBounds &bounds) {
  if (!runtime().thread_num || !runtime().push_num_teams || !runtime().processors)
    return;
  static ident_t place{0, 2, 0, 0, ";unknown;unknown;0;0;;"}; // 2: of a call that a compiler makes
  const int share = std::max(1, runtime().processors() / std::max(1, static_cast<int>(bounds.teams)));
  const int threads = bounds.threads == 0 ? 0 : std::min(share, static_cast<int>(bounds.threads));
  runtime().push_num_teams(&place, runtime().thread_num(&place), static_cast<int32_t>(bounds.teams), threads);
}

/// Returns the value that a setting of the device has, as a number.
std::optional<int> value_of(SettingId id, int32_t device) {
  const auto setting = device_setting(id, device);
  if (!setting)
    return std::nullopt;
  if (id == SettingId::kDeviceDynamic) {
    const std::optional<bool> flag = flag_of(setting->text);
    if (!flag)
      warn_about_device_setting(id, *setting,
                                format("'%s' is neither true nor false; ignored", shown_value(setting->text).c_str()));
    return flag;
  }
  const int64_t most = device_setting_in(id, device, 1, INT32_MAX);
  return most == 0 && *setting->text != '0' ? std::nullopt : std::optional(static_cast<int>(most));
}

} // namespace

RegionVariables::RegionVariables(int32_t device, const LaunchBounds &bounds, bool each_team) {
  if (!each_team)
    bound_threads(bounds);
  if ((bounds.flags & OMPTARGET_KERNEL_VARIABLES) != 0)
    set_others(device_number(device));
}

void RegionVariables::bound_threads(const LaunchBounds &bounds) {
  const bool bounds_threads = (bounds.flags & OMPTARGET_KERNEL_MOST_THREADS) != 0;
  const bool bounds_teams = (bounds.flags & OMPTARGET_KERNEL_MOST_TEAMS) != 0;
  if (bounds_teams || (bounds.teams == 0 && bounds_threads))
    return push_teams(bounds);
  if (bounds_threads && runtime().max_threads && runtime().set_threads) {
    threads_ = runtime().max_threads();
    runtime().set_threads(static_cast<int>(bounds.threads));
  }
}

void RegionVariables::set_others(int32_t device) {
  const Runtime &openmp = runtime();
  if (const auto value = value_of(SettingId::kDeviceDynamic, device); value && openmp.dynamic && openmp.set_dynamic) {
    dynamic_ = openmp.dynamic();
    openmp.set_dynamic(*value);
  }
  if (const auto value = value_of(SettingId::kDeviceMaxActiveLevels, device);
      value && openmp.levels && openmp.set_levels) {
    levels_ = openmp.levels();
    openmp.set_levels(*value);
  }
  if (const auto wanted = device_schedule(device); wanted && openmp.schedule && openmp.set_schedule) {
    openmp.schedule(&schedule_, &chunk_);
    openmp.set_schedule(static_cast<int>(wanted->kind), static_cast<int>(wanted->chunk));
  }
}

RegionVariables::~RegionVariables() {
  if (threads_ != kUnchanged)
    runtime().set_threads(threads_);
  if (dynamic_ != kUnchanged)
    runtime().set_dynamic(dynamic_);
  if (levels_ != kUnchanged)
    runtime().set_levels(levels_);
  if (schedule_ != 0)
    runtime().set_schedule(schedule_, chunk_);
}

} // namespace omptarget::host
