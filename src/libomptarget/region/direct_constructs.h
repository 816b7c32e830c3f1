// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs in the most frequent case: the data are present, or plain and absent. They need no items, no plan and no
// DeviceWork. Each returns what is left to be done.
#pragma once

#include "region/construct_report.h"
#include "region/kernel_call.h"
#include "region/leaving.h"

namespace omptarget {

/// The outcome of a construct: of entering, the kernel, and leaving.
enum class DirectLaunch {
  kDone,
  kNotEntered, ///< planning has to do it; of the items refs says what is retained already
  kNotStarted, ///< entering failed as status says, and what refs counts is to be given back
  kFailed,     ///< the same of the kernel
};
/// is_observed: somebody wants to know of the construct's steps.
DirectLaunch launch_directly(Device &device, const Kernel &kernel, LaunchRequest &request, PresentRefs &refs,
                             bool is_observed, Status &status);

/// The same for data constructs. True: done, or failed as status says; the caller then gives back what refs counts
/// after entering. False: planning has to do it; of entering, refs says what is retained.
bool enter_directly(Device &device, const MapList &list, PresentRefs &refs, bool is_observed, Status &status);
bool leave_directly(Device &device, const MapList &list, PresentRefs &refs, bool is_observed, Status &status);

// The parts of these, for a construct that outlives its call.
/// Enters, and queues the kernel.
DirectLaunch start_launch(Device &device, const Kernel &kernel, LaunchRequest &request, PresentRefs &refs,
                          ConstructQueue &queue, Status &status);
/// Enters the data of a data construct, as enter_directly.
bool start_entry(Device &device, const MapList &list, PresentRefs &refs, ConstructQueue &queue, Status &status);
/// Finds what a construct leaves. False: planning has to do it.
bool find_left(Device &device, const MapList &list, PresentRefs &refs, uint64_t &kinds, bool is_observed);
/// The end of a construct whose work is complete. waited: whether it has failed. status: what failed besides.
DirectLaunch ended(Device &device, const char *during, Status waited, Status &status);

/// How the failures of a region's data begin.
inline constexpr const char *kDuringEntry = "Call to targetDataBegin failed, abort target.";
inline constexpr const char *kBeforeKernel = "Failed to process data before launching the kernel.";
inline constexpr const char *kAfterKernel = "Failed to process data after launching the kernel.";

} // namespace omptarget
