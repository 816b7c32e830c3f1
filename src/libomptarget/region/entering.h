// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way in of every construct: target enter data, the begin of target data, and the begin of a target region.
#pragma once

#include "mapping/map_arguments.h"
#include "region/construct_queue.h"

namespace omptarget {

/// Enters all arguments: retains what is present, and makes the rest present. Queues copies; the data are published, so
/// that other threads may use them, and their queues wait for the copies. After a failure nothing is left that the
/// construct has made and not published, and the refs say what is to be given back. first, absence: what retain_present
/// has left. code: return address in the code that passes the arguments, or null.
Status enter_rest(Device &device, MapArguments &arguments, size_t first, Absence &absence, ConstructQueue &queue,
                  const void *code);

} // namespace omptarget
