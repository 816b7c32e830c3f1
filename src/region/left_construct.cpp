// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/left_construct.h"

#include "region/map_arguments.h"

namespace omptarget {

namespace {

/// Gives back what the construct has retained. The failure is that of the kernel, or where its name is null, what it
/// says.
Status abandon(Device &device, const char *kernel, const MapList &list, const PresentRefs &refs, Status failure) {
  MapItems items;
  gather_items(list, items).consume(); // has been read before
  set_present(items, refs);
  DeviceWork work(device);
  work.queue().set_kernel(kernel);
  work.abandon(items).consume(); // that failure is what counts
  return work.queue().blamed_on_kernel(std::move(failure));
}

/// The construct turns out to be the last one that uses some of its data.
Status leave_rest(Device &device, const char *kernel, const MapList &list, const PresentRefs &refs) {
  MapItems items;
  OMPTARGET_TRY(gather_items(list, items));
  set_present(items, refs);
  DeviceWork work(device);
  work.queue().set_kernel(kernel);
  if (Status status = work.start_exit(items, true); !status)
    return kernel ? std::move(status).during(kAfterKernel) : std::move(status);
  return work.complete();
}

} // namespace

[[gnu::cold, gnu::noinline]] Status conclude(Device &device, const char *kernel, const MapList &list,
                                             const PresentRefs &refs, DirectLaunch so_far, Status status) {
  if (so_far == DirectLaunch::kNotLeft)
    status.keep_first(leave_rest(device, kernel, list, refs));
  else if (so_far != DirectLaunch::kDone)
    status = abandon(device, so_far == DirectLaunch::kFailed ? kernel : nullptr, list, refs, std::move(status));
  return status;
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
