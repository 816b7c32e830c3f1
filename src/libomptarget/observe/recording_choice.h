// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBOMPTARGET_RECORD: which launch of which process is recorded, and to which file. region/ records it.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace omptarget::observe {

/// Reads the settings; returns whether this process is to record a launch. Called once.
bool start_recording();

/// Counts a launch of the kernel. Returns whether this is the one to record: true once in a process. Any thread. Only
/// if listener::kRecord is set, which the call that returns true takes away.
bool claims_launch(const char *kernel);

/// The file of this process, and which of the counted launches is recorded.
const std::string &recording_file();
int64_t recorded_launch();

/// Returns whether this process was to record a launch when it began. Then memory that the program allocates by itself
/// is followed. Any thread.
bool has_recording();

/// Warns of a recording that could not be written. The program goes on.
void warn_about_recording(Status failure);

/// Warns, at the end, that no launch was the one to record.
void report_missing_recording();

} // namespace omptarget::observe
