// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device memory of mappings.
#pragma once

#include "device/device.h"

namespace omptarget {

/// Allocates storage for data that a construct maps, and tells whoever observes.
Result<void *> allocate_mapped(Device &device, HostPtr begin, int64_t bytes, const char *name);

/// Tells the plugin, and whoever observes, of a mapping that has left the table, and frees its memory. Does nothing if
/// the mapping has stayed.
Status free_removed(Device &device, const Removed &removed);

} // namespace omptarget
