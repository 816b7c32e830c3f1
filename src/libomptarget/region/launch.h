// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target construct (OpenMP 5.2, section 13.8): data in, kernel, data out.
#pragma once

#include "base/status.h"
#include "device/call.h"
#include "device/kernel.h"
#include "device/launch_request.h"

namespace omptarget {

enum class Outcome { kRanOnDevice, kRunOnHost };

/// Runs the kernel on the call's device and waits for it; kRunOnHost: the caller must run the host version
/// (offloading is off, there is no device, or no image of the module fits the device). A request is launched once.
/// Any thread.
Result<Outcome> launch(const Call &call, LaunchRequest &request);

/// The same if the device and the kernel are there. True: it has run, or failed as status says. False: nothing has
/// happened, and launch knows more.
bool launch_at_once(const Call &call, LaunchRequest &request, Status &status);

/// Runs a kernel that no module has registered, and waits for it. It has a form of parameters for the request's block.
Status launch_function(Device &device, const Call &call, const Kernel &kernel, LaunchRequest &request);

} // namespace omptarget
