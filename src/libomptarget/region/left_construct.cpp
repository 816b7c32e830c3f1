// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/left_construct.h"

#include <cstring>

#include "base/sched_point.h"

namespace omptarget {

[[gnu::cold, gnu::noinline]] Status conclude(Device &device, const char *kernel, const MapList &list, PresentRefs &refs,
                                             DirectLaunch so_far, Status status) {
  if (so_far == DirectLaunch::kDone)
    return status;
  give_back(device, list, refs);
  return so_far == DirectLaunch::kFailed ? blamed_on_kernel(device, kernel, std::move(status)) : std::move(status);
}

DirectLaunch LeftConstruct::launch(const Kernel &kernel, LaunchRequest &request, Status &status) {
  const DirectLaunch started = start_launch(device(), kernel, request, refs_, queue_, status);
  if (started != DirectLaunch::kDone) [[unlikely]]
    queue_.wait().consume(); // nothing may be under way when what it uses is given back
  else if (queue_.is_busy())
    leaving_.start();
  return started;
}

DirectLaunch LeftConstruct::enter(Status &status) {
  if (!start_entry(device(), list_, refs_, queue_, status)) [[unlikely]]
    return status.is_ok() ? DirectLaunch::kNotEntered : DirectLaunch::kNotStarted;
  return DirectLaunch::kDone;
}

DirectLaunch LeftConstruct::leave_data() {
  uint64_t kinds = 0;
  if (!find_left(device(), list_, refs_, kinds, queue_.is_observed()))
    return DirectLaunch::kNotEntered;
  leaving_.add_kinds(kinds);
  leaving_.start();
  return DirectLaunch::kDone;
}

/// After kDone: waits for all that, and leaves.
DirectLaunch LeftConstruct::finish(Status &status) {
  if (kind_ == observe::ConstructKind::kEnterData) {
    status = queue_.wait();
    check_present_data(device());
    return status.is_ok() ? DirectLaunch::kDone : DirectLaunch::kNotStarted;
  }
  Status waited = leaving_.finish();
  status = std::move(besides_);
  const DirectLaunch so_far = ended(device(), kernel_ ? kAfterKernel : nullptr, std::move(waited), status);
  return kernel_ ? so_far : DirectLaunch::kDone;
}

/// From now on the list's arrays may go.
void LeftConstruct::keep_list() {
  if (OMPTARGET_PLANTED("list-lent"))
    return;
  const auto count = static_cast<size_t>(list_.count);
  kept_list_.reset(new void *[5 * count]);
  void **end = kept_list_.get();
  const auto keep = [&](auto *&values) {
    static_assert(sizeof *values == sizeof *end);
    if (!values)
      return;
    std::memcpy(end, values, count * sizeof *end);
    values = reinterpret_cast<std::remove_reference_t<decltype(values)>>(end);
    end += count;
  };
  keep(list_.bases);
  keep(list_.begins);
  keep(list_.sizes);
  keep(list_.types);
  keep(list_.names);
  list_.mappers = nullptr; // no argument has one
}

Status LeftConstruct::leave_or_complete(std::unique_ptr<LeftConstruct> construct, void *&slot) {
  if (construct->planned_ ? !construct->planned_->queue().is_busy() : !construct->queue_.is_busy())
    return construct->complete();
  construct->keep_list();
  return leave(std::move(construct), slot);
}

Status LeftConstruct::complete() {
  if (planned_)
    return planned_->complete();
  Status status;
  const DirectLaunch so_far = finish(status);
  return conclude(so_far, std::move(status));
}

Result<bool> LeftConstruct::is_done() {
  if (planned_)
    return planned_->is_done();
  auto is_done = queue_.is_done();
  if (is_done.is_ok()) [[likely]]
    return is_done;
  Status status;
  finish(status);
  status.consume(); // the first failure is what counts
  return conclude(DirectLaunch::kFailed, is_done.take_status());
}

} // namespace omptarget
