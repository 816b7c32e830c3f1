// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a construct without a plan maps plain data anew. Planning does all less simple cases.
#pragma once

#include "mapping/argument_refs.h"
#include "region/construct_queue.h"

namespace omptarget {

/// Goes on where retain_present has stopped, if that is an argument that is absent. False: refs are the arguments
/// that are entered; if status is good, planning has to enter the rest. Retained and new mappings stay: other
/// constructs may have written to it. absence: of that argument. status: the failure of a copy. The queue is idle,
/// and after false again.
bool enter_plain(Device &device, const MapList &list, PresentRefs &refs, Absence &absence, ConstructQueue &queue,
                 Status &status);

} // namespace omptarget
