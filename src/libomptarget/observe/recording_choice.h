// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBOMPTARGET_RECORD: which launches of which process are recorded, and to which files. That is one launch to one
// file, or one of each kernel and shape to a folder. region/ records them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/address.h"
#include "base/status.h"

namespace omptarget::observe {

struct Listener;

/// Reads the settings at the first event. At the end of the process, writes the report, and warns if no launch was the
/// one to record.
extern const Listener recording_listener;

/// If all kernels are recorded, one of the launches that have this in common is.
struct LaunchKind {
  std::string kernel;
  DeviceId device;
  uint32_t teams[3], threads[3]; ///< by dimension; 0: the device chooses, and does not tell before the launch
  uint32_t group_memory;         ///< bytes of dynamic shared memory per team
  auto operator<=>(const LaunchKind &) const = default;
};

/// A launch that is to be recorded.
struct RecordedLaunch {
  std::string file; ///< of this process
  int64_t number;   ///< among those that were counted with it, from 1
};

/// Counts a launch, and returns it if it is to be recorded. Any thread. Only if listener::kRecord is set, which the
/// last launch to record takes away.
std::optional<RecordedLaunch> claim_launch(const LaunchKind &kind);

/// Most bytes of device memory that a recording may have, and whether it has the memory after the launch, too.
uint64_t most_recorded_bytes();
bool records_results();

/// Returns whether this process was to record launches when it began. Then memory that the program allocates on its own
/// is followed. Any thread.
bool has_recording();

/// Warns of a launch that could not be recorded, wholly or in part, and notes it for the report. The program goes on.
void note_recording_failure(const RecordedLaunch &launch, Status failure);

} // namespace omptarget::observe
