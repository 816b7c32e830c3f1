// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of constructs: entering, the kernel, and exiting, with or without waiting for them.
#pragma once

#include "mapping/map_arguments.h"
#include "region/construct_queue.h"
#include "region/launch.h"

namespace omptarget {

class KernelRecorder;

/// The outcome of a construct, or of a part of it.
enum class Ended {
  kDone,
  kNotStarted, ///< entering failed as status says, and what the arguments count is to be given back
  kFailed,     ///< the same of the kernel
};

/// A kernel with all that its launch needs.
struct Region {
  const Kernel &kernel;
  LaunchRequest &request;
  KernelRecorder *recorder = nullptr; ///< null: the launch is not recorded
};

// Each carries out a construct to its end. is_observed: somebody wants to know of the construct's steps. code: return
// address in the code that passes the arguments.
Ended run_region(Device &device, const Region &region, MapArguments &arguments, bool is_observed, Status &status);
Ended run_entry(Device &device, MapArguments &arguments, bool is_observed, const void *code, Status &status);
/// Nothing is to be given back afterwards.
Status run_exit(Device &device, MapArguments &arguments, bool is_observed, const void *code);

// The parts of these, for a construct that outlives its call.
/// Enters, and queues the kernel.
Ended start_region(Device &device, const Region &region, MapArguments &arguments, ConstructQueue &queue,
                   Status &status);
/// Enters the data of a data construct.
Ended start_entry(Device &device, MapArguments &arguments, ConstructQueue &queue, const void *code, Status &status);
/// Finds the data that a construct exits, for Exiting::start.
Status find_for_exit(Device &device, MapArguments &arguments, ConstructQueue &queue, const void *code);
/// The same where more is to be done than find_present can find.
Status look_up(Device &device, MapArguments &arguments, ConstructQueue &queue, const void *code);
/// The end of a construct whose work is complete. waited: whether it has failed. status: what failed besides.
Ended ended(Device &device, const char *during, Status waited, Status &status);

/// How the failures of a region's data begin.
inline constexpr const char *kDuringEntry = "Call to targetDataBegin failed, abort target.";
inline constexpr const char *kBeforeKernel = "Failed to process data before launching the kernel.";
inline constexpr const char *kAfterKernel = "Failed to process data after launching the kernel.";

} // namespace omptarget
