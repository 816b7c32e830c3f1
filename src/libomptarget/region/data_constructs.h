// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// target data, target enter data, target exit data and target update (OpenMP 5.2, sections 13.5 to 13.9).
#pragma once

#include "base/status.h"
#include "device/call.h"

namespace omptarget {

/// Any thread. Each construct is complete on return, unless its call may return early (Call::is_nowait). On the host
/// it does nothing. enter_data writes the addresses of use_device_ptr and use_device_addr back to list.bases.
Status enter_data(const Call &call, const MapList &list);
Status exit_data(const Call &call, const MapList &list);
Status update_data(const Call &call, const MapList &list);
// The same on the call's device, which the caller has found.
Status enter_data(Device &device, const Call &call, const MapList &list);
Status exit_data(Device &device, const Call &call, const MapList &list);
Status update_data(Device &device, const Call &call, const MapList &list);

} // namespace omptarget
