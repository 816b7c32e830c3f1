// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/left_construct.h"

#include "region/map_arguments.h"

namespace omptarget {

[[gnu::cold, gnu::noinline]] Status conclude(Device &device, const char *kernel, const MapList &list,
                                             const PresentRefs &refs, DirectLaunch so_far, Status status) {
  if (so_far == DirectLaunch::kDone)
    return status;
  MapItems items;
  Status failure = gather_items(list, refs, items);
  DeviceWork work(device);
  if (so_far != DirectLaunch::kNotLeft) { // gives back what the construct has retained
    failure.consume();                    // the list has been read before
    work.queue().set_kernel(so_far == DirectLaunch::kFailed ? kernel : nullptr);
    work.abandon(items).consume(); // the first failure is what counts
    return work.queue().blamed_on_kernel(std::move(status));
  }
  work.queue().set_kernel(kernel); // the construct turns out to be the last one that uses some of its data
  if (failure.is_ok())
    if (failure = work.start_exit(items, true); !failure.is_ok() && kernel)
      failure = std::move(failure).during(kAfterKernel);
  if (failure.is_ok())
    failure = work.complete();
  status.keep_first(std::move(failure));
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
