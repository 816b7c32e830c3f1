// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that are missing on a device, as their module's image is.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "device/device.h"

namespace omptarget {

/// Fails if a byte of the range is part of a variable that is missing on the device, as its module's image is. Any
/// thread.
Status check_variable(Device &device, HostPtr host, int64_t size = 1);

} // namespace omptarget
