// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/mapped_storage.h"

#include <cinttypes>

#include "base/log.h"
#include "base/sched_point.h"
#include "device/mapping_tables.h"
#include "mapping/variable_name.h"

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

void report_created(const Device &device, const Mapping &mapping) {
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device.id(), "new mapping: host %p, device %p, %" PRIu64 " bytes, %s",
                         raw(mapping.begin()), raw(mapping.target_begin()), mapping.size(),
                         variable_place(mapping.name()).c_str());
  if (observe::reports_mappings())
    observe::mapping_created(facts_of(mapping, mapping.begin(), mapping.size(), mapping.name()), mapping.allocation());
}

void report_removed(const Device &device, const Removed &removed) {
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device.id(), "removed mapping: host %p, device %p, %" PRIu64 " bytes",
                         raw(removed.begin), raw(removed.target_begin), removed.size);
  if (observe::reports_mappings())
    observe::mapping_removed({{}, removed.begin, removed.target_begin, removed.size, 0, 0, removed.name});
}

void report_allocated(const Device &device, const Removed &removed) {
  DataOperation operation(
      {DataOperationKind::kAllocate, device.id(), raw(removed.begin), nullptr, removed.size, removed.name});
  operation.set_target(raw(removed.allocation));
}

Status free_removed(Device &device, const Removed &removed) {
  if (removed.is_removed)
    report_removed(device, removed);
  if (removed.allocation == DevicePtr::kNull)
    return Status::ok();
  OMPTARGET_SCHED_POINT("free: removed, not yet freed");
  Status status = free_storage(device, removed);
  if (removed.is_large)
    device.map().large_frees().end();
  return status;
}

Result<void *> allocate_mapped(Device &device, HostPtr begin, int64_t bytes, const char *name) {
  DataOperation operation({DataOperationKind::kAllocate, device.id(), raw(begin), nullptr, bytes, name});
  auto allocated = device.allocate(bytes, raw(begin), OMPTARGET_ALLOC_DEFAULT);
  if (allocated.is_ok())
    operation.set_target(*allocated);
  return allocated;
}

} // namespace omptarget
