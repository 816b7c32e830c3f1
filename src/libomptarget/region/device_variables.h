// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routines for the internal control variables of a device (OpenMP 6.0, sections 24.11 to 24.14). -1 and the number of
// devices stand for the host. libomp has its variables. Any thread; no device is initialised.
#pragma once

#include <cstdint>

#include "base/status.h"

namespace omptarget {

enum class DeviceVariable { kNumTeams, kTeamsThreadLimit };

/// Returns the variable's value; 0: the implementation chooses, or the number is no device's.
int32_t device_variable(DeviceVariable variable, int32_t device);
/// Sets it; 0: the implementation chooses. Fails for negative values and numbers that are no device's.
Status set_device_variable(DeviceVariable variable, int32_t value, int32_t device);

} // namespace omptarget
