// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the variant of a kernel that was compiled for the values and the shape of a launch.
#pragma once

#include "device/device.h"
#include "region/launch.h"

namespace omptarget {

/// Returns the kernel to launch: the given one, or a variant of it that computes the same for this request. Then the
/// request has the shape that the given one would have been launched with. Notes the launch. kernel: with variants.
/// Any thread.
const Kernel &chosen_variant(const Device &device, const Kernel &kernel, ParameterForm form, LaunchRequest &request);

} // namespace omptarget
