// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of our own state in builds with OMPTARGET_ASSERTIONS (preset dev and those that inherit from it). A broken
// invariant ends the process with a message: it is a defect of ours, never of the input.
#pragma once

#include <span>

#include "device/device.h"

namespace omptarget {

#if OMPTARGET_ASSERTIONS
/// Walks the table of present data, for a large one after some of the constructs only. Any thread, no lock held.
void check_present_data(Device &device);
/// That the published table of indirect functions is ascending and that look-ups find each of its pairs.
void check_function_table(DeviceId device, std::span<const FunctionPair> pairs);
/// Ends the process with this text.
[[noreturn]] void end_with_fault(const Device &device, const char *fault);
/// What must hold of a construct in a phase (docs/internals/constructs.md), or the fault in words.
template <typename Holds> void require(const Device &device, Holds holds, const char *fault) {
  if (!holds())
    end_with_fault(device, fault);
}
#else
inline void check_present_data(Device &) {}
inline void check_function_table(DeviceId, std::span<const FunctionPair>) {}
template <typename Holds> void require(const Device &, Holds, const char *) {}
#endif

} // namespace omptarget
