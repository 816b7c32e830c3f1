// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches, in every form that compilers call.

#include "abi/boundary.h"
#include "abi/kernel_args.h"
#include "base/log.h"
#include "device/libomp.h"
#include "omptarget/compiler.h"
#include "region/deferred_construct.h"
#include "region/launch.h"

using namespace omptarget;

namespace {

constexpr const char *kTarget = "target";
constexpr int kRunOnHostResult = -1;

/// Trip counts pushed by code of clang 14 for the next launch of the same thread. Plain data: needs no hook at thread
/// exit.
struct PushedTripCount {
  bool is_set;
  int64_t device;
  uint64_t trip_count;
};
thread_local constinit PushedTripCount pushed_trip_count{};

uint64_t take_trip_count(int64_t device) {
  if (!pushed_trip_count.is_set || pushed_trip_count.device != device)
    return 0;
  pushed_trip_count.is_set = false;
  return pushed_trip_count.trip_count;
}

int run_anywhere(const Call &call, LaunchRequest &request) {
  return finish(launch(call, request), call) == Outcome::kRanOnDevice ? 0 : kRunOnHostResult;
}

inline int run(const Call &call, LaunchRequest &request) {
  Status status;
  if (!launch_at_once(call, request, status))
    return run_anywhere(call, request);
  finish(status, call);
  return 0;
}

struct Teams {
  int32_t count;
  int32_t thread_limit;
};
constexpr Teams kNoTeams{-1, 0};

int run_old(const Call &call, void *host_ptr, const MapList &list, Teams teams) {
  LaunchRequest request{host_ptr, list, BlockForm::kNone, {}, 0, 0};
  request.args.NumTeams[0] = teams.count == kNoTeams.count ? 1 : static_cast<uint32_t>(teams.count);
  request.args.ThreadLimit[0] = static_cast<uint32_t>(teams.thread_limit);
  request.args.Flags = call.is_nowait ? OMPTARGET_KERNEL_NOWAIT : 0;
  if (teams.count != kNoTeams.count)
    request.args.Tripcount = take_trip_count(call.device_number);
  return run(call, request);
}

[[gnu::always_inline]] inline int run_kernel(Call &call, int32_t num_teams, int32_t thread_limit, void *host_ptr,
                                             const void *block) {
  LaunchRequest request;
  finish(read_kernel_args(block, num_teams, thread_limit, request), call);
  request.host_id = host_ptr;
  if (call.is_nowait)
    request.args.Flags |= OMPTARGET_KERNEL_NOWAIT;
  call.is_nowait = (request.args.Flags & OMPTARGET_KERNEL_NOWAIT) != 0;
  return run(call, request);
}

} // namespace

int __tgt_target(OMPTARGET_OLD_TARGET_PARAMETERS) {
  const Call call{kTarget, nullptr, device, __builtin_return_address(0)};
  return run_old(call, host_ptr, {n, bases, begins, sizes, types, nullptr, nullptr}, kNoTeams);
}

int __tgt_target_nowait(OMPTARGET_OLD_TARGET_PARAMETERS, OMPTARGET_DEPENDENCE_PARAMETERS) {
  const Call call{kTarget, nullptr, device, __builtin_return_address(0), true};
  libomp::wait_for_dependences(nullptr, ndeps, deps, nnoalias, noalias);
  return run_old(call, host_ptr, {n, bases, begins, sizes, types, nullptr, nullptr}, kNoTeams);
}

int __tgt_target_teams(OMPTARGET_OLD_TARGET_PARAMETERS, int32_t num_teams, int32_t thread_limit) {
  const Call call{kTarget, nullptr, device, __builtin_return_address(0)};
  return run_old(call, host_ptr, {n, bases, begins, sizes, types, nullptr, nullptr}, {num_teams, thread_limit});
}

int __tgt_target_teams_nowait(OMPTARGET_OLD_TARGET_PARAMETERS, int32_t num_teams, int32_t thread_limit,
                              OMPTARGET_DEPENDENCE_PARAMETERS) {
  const Call call{kTarget, nullptr, device, __builtin_return_address(0), true};
  libomp::wait_for_dependences(nullptr, ndeps, deps, nnoalias, noalias);
  return run_old(call, host_ptr, {n, bases, begins, sizes, types, nullptr, nullptr}, {num_teams, thread_limit});
}

int __tgt_target_mapper(OMPTARGET_TARGET_PARAMETERS) {
  const Call call{kTarget, loc, device, __builtin_return_address(0)};
  return run_old(call, host_ptr, {n, bases, begins, sizes, types, names, mappers}, kNoTeams);
}

int __tgt_target_nowait_mapper(OMPTARGET_TARGET_PARAMETERS, OMPTARGET_DEPENDENCE_PARAMETERS) {
  const Call call{kTarget, loc, device, __builtin_return_address(0), true};
  libomp::wait_for_dependences(loc, ndeps, deps, nnoalias, noalias);
  return run_old(call, host_ptr, {n, bases, begins, sizes, types, names, mappers}, kNoTeams);
}

int __tgt_target_teams_mapper(OMPTARGET_TARGET_PARAMETERS, int32_t num_teams, int32_t thread_limit) {
  const Call call{kTarget, loc, device, __builtin_return_address(0)};
  return run_old(call, host_ptr, {n, bases, begins, sizes, types, names, mappers}, {num_teams, thread_limit});
}

int __tgt_target_teams_nowait_mapper(OMPTARGET_TARGET_PARAMETERS, int32_t num_teams, int32_t thread_limit,
                                     OMPTARGET_DEPENDENCE_PARAMETERS) {
  const Call call{kTarget, loc, device, __builtin_return_address(0), true};
  libomp::wait_for_dependences(loc, ndeps, deps, nnoalias, noalias);
  return run_old(call, host_ptr, {n, bases, begins, sizes, types, names, mappers}, {num_teams, thread_limit});
}

int __tgt_target_kernel(ident_t *loc, int64_t device, int32_t num_teams, int32_t thread_limit, void *host_ptr,
                        __tgt_kernel_args *args) {
  Call call{kTarget, loc, device, __builtin_return_address(0)};
  return run_kernel(call, num_teams, thread_limit, host_ptr, args);
}

int __tgt_target_kernel_nowait(ident_t *loc, int64_t device, int32_t num_teams, int32_t thread_limit, void *host_ptr,
                               __tgt_kernel_args *args, OMPTARGET_DEPENDENCE_PARAMETERS) {
  Call call{kTarget, loc, device, __builtin_return_address(0), true};
  libomp::wait_for_dependences(loc, ndeps, deps, nnoalias, noalias);
  return run_kernel(call, num_teams, thread_limit, host_ptr, args);
}

void __kmpc_push_target_tripcount(int64_t device, uint64_t trip_count) {
  pushed_trip_count = {true, device, trip_count};
}

void __kmpc_push_target_tripcount_mapper(ident_t *, int64_t device, uint64_t trip_count) {
  pushed_trip_count = {true, device, trip_count};
}

void __tgt_target_nowait_query(void **async_handle) {
  Call call{"target nowait", nullptr, -1, __builtin_return_address(0)};
  if (!async_handle || !*async_handle)
    return finish(Status::error("__tgt_target_nowait_query is called for a task without unfinished work"), call);
  auto is_done = DeferredConstruct::ask(*async_handle, call);
  if (!is_done.is_ok())
    finish(is_done.take_status(), call);
  if (*is_done)
    *async_handle = nullptr;
}
