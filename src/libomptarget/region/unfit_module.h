// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules none of whose images fits a device that other modules use. Unless offloading is mandatory the host does their
// constructs, those of data as well as regions, so that both see the same memory. A construct that uses other modules'
// data on the device fails: the host has no up-to-date values of them. Where offloading is mandatory, the modules'
// regions fail, and so do data constructs with their variables. Those with variables of an image that could not be
// loaded always fail.
#pragma once

#include "base/status.h"
#include "device/call.h"
#include "device/device.h"
#include "image/offload_library.h"
#include "mapping/copies.h"

namespace omptarget {

/// Returns whether the host does this data construct, in place of the device. Fails if data of it are on the device.
/// Any thread.
Result<bool> is_for_host(Device &device, const Call &call, const MapItems &items);

/// Fails if data of a data construct are part of a variable that is missing on the device (check_variable). Regions
/// need no check: those of the module fail, and others map such a variable as any other.
Status check_variables(Device &device, const MapItems &items);

/// Fails if the host cannot run a region of the module in place of the device, since data of it, or variables of the
/// module, are there. library may be null. Any thread.
Status check_host_can_run(Device &device, const OffloadLibrary *library, const MapList &list);

} // namespace omptarget
