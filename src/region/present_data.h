// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which data of a construct that the host does are on a device all the same: what the host would miss.
#pragma once

#include <optional>

#include "device/device.h"
#include "mapping/plan.h"

namespace omptarget {

/// The item's data, as far as some of them are present on the device; for a pointer without a size the data that a
/// region would find through it. Nothing for values, and for private variables that are no pointers.
std::optional<Copy> present_data(Device &device, const MapItem &item);

} // namespace omptarget
