// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs on a device that has ended, because the program ends. The host does what can be done. If results are
// lost that only the device had, a message says so; under OMP_TARGET_OFFLOAD=MANDATORY the program ends. Each function
// does nothing while the construct's device works.
#pragma once

#include "base/status.h"
#include "device/call.h"

namespace omptarget {

/// Any thread, all three.
/// target exit data: counts as ever; what would be copied back is lost.
Status exit_ended_device(const Call &call, const MapList &list);

/// target update: what would be copied from the device is lost.
Status update_ended_device(const Call &call, const MapList &list);

/// A target region that the host is going to run: of data that were on the device it sees what the host has.
Status run_without_ended_device(const Call &call, const MapList &list);

} // namespace omptarget
