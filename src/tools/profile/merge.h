// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles of many processes made one.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace omptarget::profile_tool {

/// A profile in Chrome's trace-event format, and where it is from, for messages.
struct ProfileText {
  std::string name;
  std::string json;
};

/// When processes begin: by the clocks of their nodes, or all at 0.
enum class Timeline { kClocks, kAligned };

/// One profile of all: the tracks of each process side by side on one timeline; tables added up, and one with a row
/// for each process, the slowest first. Fails, naming the profile, if one is damaged or was not written by omptarget.
Result<std::string> merge_profiles(const std::vector<ProfileText> &profiles, Timeline timeline);

/// The tables of a profile, or of a merged one, as comma-separated values with a line for the columns, or as JSON.
/// Fails as merge_profiles does.
Result<std::string> summary_of_profile(const ProfileText &profile, bool as_json);

} // namespace omptarget::profile_tool
