// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the copy of an item's data on a device, for a construct that runs on the host: the host does not see it.
#pragma once

#include <optional>

#include "device/device.h"
#include "mapping/copies.h"

namespace omptarget {

/// Returns the item's data if some of them are present on the device. For a pointer without a size these are the data
/// that a region would find through it. Values have none, nor have private variables that are no pointers.
std::optional<Copy> find_device_copy(Device &device, const MapItem &item);

} // namespace omptarget
