// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/teams.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/guarded.h"
#include "host/openmp_function.h"

namespace omptarget::host {

namespace {

Guarded<std::vector<AddressRange>> &ranges() {
  static auto *const instance =
      new Guarded<std::vector<AddressRange>>(); // never destroyed: kernels may outlive exit handlers
  return *instance;
}

/// One launch, as its teams see it.
struct Launch {
  void *kernel;
  const KernelArguments &arguments;
  std::mutex mutex;
  Status status = Status::ok();
};

void run_team(int32_t *, int32_t *, Launch *launch) {
  Status status = call_kernel(launch->kernel, launch->arguments);
  if (status.is_ok()) [[likely]]
    return;
  const std::lock_guard lock(launch->mutex);
  launch->status.keep_first(std::move(status));
}

using Microtask = void (*)(int32_t *, int32_t *, ...);

} // namespace

constinit std::atomic<uint32_t> teams_internal::images{0};

bool teams_internal::is_known(const void *kernel) {
  auto known = ranges().lock();
  return std::any_of(known->begin(), known->end(), [&](const AddressRange &range) { return range.contains(kernel); });
}

void add_kernels_per_team(AddressRange image) {
  ranges().lock()->push_back(image);
  teams_internal::images.fetch_add(1, std::memory_order_relaxed);
}

void forget_kernels_per_team(AddressRange image) {
  auto known = ranges().lock();
  if (std::erase_if(*known, [&](const AddressRange &range) { return range.begin == image.begin; }) != 0)
    teams_internal::images.fetch_sub(1, std::memory_order_relaxed);
}

Status call_in_teams(void *kernel, const KernelArguments &arguments, uint32_t teams, uint32_t thread_limit) {
  static const auto thread_num = openmp_function<int32_t(ident_t *)>("__kmpc_global_thread_num");
  static const auto push_num_teams =
      openmp_function<void(ident_t *, int32_t, int32_t, int32_t)>("__kmpc_push_num_teams");
  static const auto fork_teams = openmp_function<void(ident_t *, int32_t, Microtask, ...)>("__kmpc_fork_teams");
  if (!thread_num || !push_num_teams || !fork_teams)
    return Status::error(format("the OpenMP runtime of the process cannot make the %u teams of the kernel: it has no "
                                "__kmpc_fork_teams",
                                teams));
  static ident_t place{0, 2, 0, 0, ";unknown;unknown;0;0;;"}; // 2: of a call that a compiler makes
  Launch launch{kernel, arguments, {}};
  push_num_teams(&place, thread_num(&place), static_cast<int32_t>(teams), static_cast<int32_t>(thread_limit));
  fork_teams(&place, 1, reinterpret_cast<Microtask>(run_team), &launch);
  return std::move(launch.status);
}

} // namespace omptarget::host
