// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of compilers that do not say which arguments are members of which.
#pragma once

#include "device/device.h"
#include "mapping/map_type.h"

namespace omptarget {

/// Marks arguments that lie in the mapping of an earlier one as its members. So the construct counts each mapping once
/// (OpenMP 5.2, section 5.8.3). Writes the list's types.
void count_once(Device &device, const MapList &list);

} // namespace omptarget
