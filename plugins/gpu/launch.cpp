// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/launch.h"

#include <algorithm>
#include <limits>

#include "base/log.h"
#include "base/uncancelled.h"
#include "common/boundary.h"
#include "gpu/device.h"

namespace omptarget::gpu {

namespace {

int32_t positive(uint32_t value) {
  return value > static_cast<uint32_t>(std::numeric_limits<int32_t>::max()) ? 0 : static_cast<int32_t>(value);
}

uint32_t at_least_one(uint32_t value) { return static_cast<uint32_t>(std::max(1, positive(value))); }

} // namespace

EnvironmentNeed Launch::environment_need(const Grid &grid) const {
  EnvironmentNeed need;
  if (!has_leading() && !has_trailing())
    return need;
  need.reduction = kernel.traits().reduction_buffer_size(grid.shape.teams);
  if (!has_trailing())
    return need;
  need.is_trailing = true;
  need.group_memory = grid.group_memory;
  need.fallback = grid.fallback;
  if (grid.fallback == GroupMemoryFallback::kGlobalMemory)
    need.global_memory = grid.teams() * grid.group_memory;
  return need;
}

namespace {

/// Decides on the dynamic group-private memory of the teams of a clang 23 kernel. If the fallback is to fail, starting
/// the kernel fails.
void grant_group_memory(const Launch &launch, uint32_t from_setting, uint32_t limit, Grid &grid) {
  const uint32_t wanted = launch.shape.DynCGroupMem;
  if (!launch.has_trailing() || wanted == 0)
    return;
  const uint64_t fallback = launch.shape.Flags & OMPTARGET_KERNEL_GROUP_MEMORY_FALLBACK;
  if (uint64_t{launch.kernel.static_shared_memory()} + grid.shared_memory <= limit ||
      fallback == OMPTARGET_KERNEL_GROUP_MEMORY_ABORT) {
    grid.group_memory = wanted;
    return;
  }
  grid.shared_memory = from_setting;
  grid.fallback =
      fallback == OMPTARGET_KERNEL_GROUP_MEMORY_NULL ? GroupMemoryFallback::kNull : GroupMemoryFallback::kGlobalMemory;
  grid.group_memory = grid.fallback == GroupMemoryFallback::kNull ? 0 : wanted;
}

} // namespace

Grid choose_grid(const Launch &launch, const LaunchLimits &device_limits, uint32_t shared_memory_limit) {
  const Kernel &kernel = launch.kernel;
  const __tgt_kernel_args &args = launch.shape;
  LaunchLimits limits = device_limits;
  if (kernel.warp_size() != 0)
    limits.warp_size = kernel.warp_size();
  if (kernel.max_threads() != 0)
    limits.max_threads = std::min(limits.max_threads, kernel.max_threads());
  if (limits.teams_follow_kernel && kernel.resident_teams() != 0)
    limits.default_teams = std::min(kernel.resident_teams(), limits.max_teams);
  Grid grid;
  const ExecMode mode = launch.mode();
  grid.shape =
      choose_launch_shape(kernel.traits(), limits,
                          {mode, positive(args.NumTeams[0]), positive(args.ThreadLimit[0]), args.Tripcount,
                           (args.Flags & OMPTARGET_KERNEL_STRICT) != 0, (args.Flags & OMPTARGET_KERNEL_MOST_TEAMS) != 0,
                           (args.Flags & OMPTARGET_KERNEL_MOST_THREADS) != 0});
  if (mode == ExecMode::kBare) {
    grid.teams_y = at_least_one(args.NumTeams[1]);
    grid.teams_z = at_least_one(args.NumTeams[2]);
    grid.threads_y = at_least_one(args.ThreadLimit[1]);
    grid.threads_z = at_least_one(args.ThreadLimit[2]);
  }
  grid.shared_memory = std::max(args.DynCGroupMem, limits.shared_memory);
  grant_group_memory(launch, limits.shared_memory, shared_memory_limit, grid);
  return grid;
}

void LaunchPlans::keep(const __tgt_kernel_args &shape, const LaunchPlan &plan) {
  auto row = std::make_unique<Row>(Row{shape.Version,
                                       shape.NumArgs,
                                       shape.Tripcount,
                                       shape.Flags,
                                       {shape.NumTeams[0], shape.NumTeams[1], shape.NumTeams[2]},
                                       {shape.ThreadLimit[0], shape.ThreadLimit[1], shape.ThreadLimit[2]},
                                       shape.DynCGroupMem,
                                       plan});
  for (auto &one : rows_) {
    const Row *none = nullptr;
    if (!one.load(std::memory_order_relaxed) &&
        one.compare_exchange_strong(none, row.get(), std::memory_order_release)) {
      static_cast<void>(row.release());
      return;
    }
  }
}

void Device::announce(const Stream &stream, const Launch &launch, const Grid &grid) {
  launches_.trace(&stream, launch.kernel.name(), grid.shape.teams, grid.shape.threads);
  const std::string text = format("%s with %s blocks and %s threads in %s mode", launch.kernel.name().c_str(),
                                  grid.teams_text().c_str(), grid.threads_text().c_str(), name_of(launch.mode()));
  OMPTARGET_TRACE_DEVICE(Topic::kKernel, number(), "launch %s", text.c_str());
  if (wants_info(kInfoKernels))
    omptarget::print_info(number(), "Launching kernel %s", text.c_str());
}

Status Kernel::prepare_once() {
  const Uncancelled uncancelled;
  const std::lock_guard lock(mutex_);
  if (is_prepared_.load(std::memory_order_relaxed))
    return Status::ok();
  OMPTARGET_TRY_DURING(ask_driver(), "while asking the driver about kernel %s", name_.c_str());
  is_prepared_.store(true, std::memory_order_release);
  return Status::ok();
}

namespace {

[[gnu::cold, gnu::noinline]] Status during_launch(Status status, const Launch &launch, const Grid &grid) {
  return std::move(status).during(
      format("while launching kernel %s with %s blocks, %s threads and %u bytes of dynamic shared memory",
             launch.kernel.name().c_str(), grid.teams_text().c_str(), grid.threads_text().c_str(), grid.shared_memory));
}

} // namespace

Status Device::make_plan(const Launch &launch, LaunchPlan &plan) {
  plan.grid = choose_grid(launch, limits_, shared_memory_limit());
  plan.environment = launch.environment_need(plan.grid);
  if (Status status = check_launch(launch, plan.grid); !status)
    return during_launch(std::move(status), launch, plan.grid);
  launch.kernel.plans().keep(launch.shape, plan);
  return Status::ok();
}

[[gnu::noinline]] Status Device::start_serving(Stream &stream, const Launch &launch, const LaunchPlan &plan) {
  OMPTARGET_TRY(services_.launching(&stream));
  Status status = start(stream, launch, plan);
  if (!status)
    services_.not_launched(&stream);
  return status;
}

Status Device::shape_of(const Launch &launch, __tgt_launch_shape &shape) {
  OMPTARGET_TRY(launch.kernel.prepare());
  if (launch.mode() == ExecMode::kBare)
    return Status::error(format("kernel %s has a grid of its own", launch.kernel.name().c_str()));
  const Grid grid = choose_grid(launch, limits_, shared_memory_limit());
  shape = {grid.shape.teams, grid.shape.threads};
  return Status::ok();
}

[[gnu::always_inline]] inline Status Device::start_planned(Stream &stream, const Launch &launch,
                                                           const LaunchPlan &plan) {
  if (traces(Topic::kKernel) || wants_info(kInfoKernels | kKeepsLaunches)) [[unlikely]]
    announce(stream, launch, plan.grid);
  stream.has_kernels = true;
  const auto start_now = [&]() __attribute__((always_inline)) {
    return launch.kernel.needs_services() ? start_serving(stream, launch, plan) : start(stream, launch, plan);
  };
  LaunchTurns *const turns = launch.kernel.turns();
  Status status = turns ? turns->run(queues_, stream, start_now) : start_now();
  return status ? Status::ok() : during_launch(std::move(status), launch, plan.grid);
}

[[gnu::noinline]] Status Device::plan_and_start(Stream &stream, const Launch &launch) {
  LaunchPlan plan;
  OMPTARGET_TRY(make_plan(launch, plan));
  return start_planned(stream, launch, plan);
}

Status Device::launch(const Launch &launch, const Caller &caller) {
  return on_stream(caller, [&](Stream &stream) __attribute__((always_inline)) -> Status {
    OMPTARGET_TRY(launch.kernel.prepare());
    const LaunchPlan *const plan = launch.kernel.plans().find(launch.shape);
    return plan ? start_planned(stream, launch, *plan) : plan_and_start(stream, launch);
  });
}

} // namespace omptarget::gpu
