// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/mapped_storage.h"

#include "base/sched_point.h"
#include "observe/construct_events.h"
#include "region/construct_report.h"

namespace omptarget {

using observe::DataOperation;
using observe::DataOperationKind;

static Status free_storage(const Device &device, const Removed &removed) {
  const PluginDevice &plugin = device.plugin_device();
  const DataOperation operation(deletion_of(device, removed));
  OMPTARGET_TRY(plugin.data_notify_unmapped(raw(removed.begin)));
  OMPTARGET_TRY_DURING(plugin.data_delete(raw(removed.allocation), OMPTARGET_ALLOC_DEFAULT),
                       "Failed to deallocate target data");
  return Status::ok();
}

Status free_removed(Device &device, const Removed &removed) {
  if (removed.is_removed)
    report_removed(device, removed);
  if (removed.allocation == DevicePtr::kNull)
    return Status::ok();
  OMPTARGET_SCHED_POINT("free: removed, not yet freed");
  Status status = free_storage(device, removed);
  if (removed.is_large) [[unlikely]]
    device.map().large_frees().end();
  return status;
}

Result<void *> allocate_mapped(Device &device, HostPtr begin, int64_t bytes, const char *name) {
  DataOperation operation({DataOperationKind::kAllocate, device.id(), raw(begin), nullptr, bytes, name});
  auto allocated = device.allocate(bytes, raw(begin), OMPTARGET_ALLOC_DEFAULT);
  if (allocated.is_ok()) [[likely]]
    operation.set_target(*allocated);
  return allocated;
}

} // namespace omptarget
