// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain data that a construct maps anew, and those that it is the last to leave, without a plan: where nobody observes and each
// operation is complete on return. Whatever is less simple is left to planning.
#pragma once

#include "device/device.h"
#include "mapping/present_items.h"

namespace omptarget {

/// Goes on where retain_present has stopped, if that is an argument that is absent. False: refs are the arguments that are entered;
/// if status is good, planning has to enter the rest. What is retained or made stays: other constructs may have written to it. absence:
/// of that argument. status: the failure of a copy.
bool enter_plain(Device &device, const MapList &list, PresentRefs &refs, Absence &absence, Status &status);

/// Takes away the references that release_shared has left, copying back what goes. False: planning has to release what refs still
/// counts. status: the first failure to copy back or to free what went.
bool leave_plain(Device &device, const MapList &list, PresentRefs &refs, Status &status);

} // namespace omptarget
