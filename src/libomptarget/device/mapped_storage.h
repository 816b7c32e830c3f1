// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device memory of mappings.
#pragma once

#include "device/device.h"
#include "observe/construct_events.h"

namespace omptarget {

/// Allocates storage for data that a construct maps, and tells whoever observes.
Result<void *> allocate_mapped(Device &device, HostPtr begin, int64_t bytes, const char *name);

/// Tells the plugin, and whoever observes, of a mapping that has left the table, and frees its memory. Does nothing if
/// the mapping has stayed.
Status free_removed(Device &device, const Removed &removed);

/// Some construct has made the mapping, which has storage by now; or has removed it.
void report_created(const Device &device, const Mapping &mapping);
void report_removed(const Device &device, const Removed &removed);

/// The storage of a mapping that was removed is freed.
inline observe::DataOperationFacts deletion_of(const Device &device, const Removed &removed) {
  return {observe::DataOperationKind::kDelete,
          device.id(),
          raw(removed.begin),
          raw(removed.allocation),
          removed.size,
          removed.name};
}
/// Tells that the storage of a mapping which has not become dormant is allocated again.
void report_allocated(const Device &device, const Removed &removed);

} // namespace omptarget
