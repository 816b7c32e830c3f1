// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/left_construct.h"

namespace omptarget {

[[gnu::cold, gnu::noinline]] Status conclude(Device &device, const char *kernel, const MapList &list, PresentRefs &refs,
                                             DirectLaunch so_far, Status status) {
  if (so_far == DirectLaunch::kDone)
    return status;
  give_back(device, list, refs);
  return so_far == DirectLaunch::kFailed ? blamed_on_kernel(device, kernel, std::move(status)) : std::move(status);
}

Status LeftConstruct::leave_or_complete(std::unique_ptr<LeftConstruct> construct, void *&slot) {
  if (construct->planned_ ? !construct->planned_->queue().is_busy() : !construct->direct_.is_under_way())
    return construct->complete();
  construct->direct_.keep_list();
  return leave(std::move(construct), slot);
}

Status LeftConstruct::complete() {
  if (planned_)
    return planned_->complete();
  Status status;
  const DirectLaunch so_far = direct_.finish(status);
  return conclude(so_far, std::move(status));
}

Result<bool> LeftConstruct::is_done() {
  if (planned_)
    return planned_->queue().is_done();
  auto is_done = direct_.is_done();
  if (is_done.is_ok()) [[likely]]
    return is_done;
  Status status;
  direct_.finish(status);
  status.consume(); // the first failure is what counts
  return conclude(DirectLaunch::kFailed, is_done.take_status());
}

} // namespace omptarget
