// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raw profiles, as llvm-profdata reads them: made of what an image's counters, records and names are, and added up.
// Versions 10 (clang 19 to 22) and 11 (clang 23) of the format. Knows nothing of devices and of files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace omptarget::gpu {

/// The data of instrumented code on a device.
struct ProfileData {
  struct Section {
    uint64_t address = 0; ///< on the device
    std::string bytes;
  };
  uint64_t version = 0; ///< version of the format, with the bits that state the kind of counts
  Section names, counters, records, uniform_counters;
};

/// One raw profile, and which bytes of it are counters of 64 bits.
struct RawProfile {
  std::string bytes;
  size_t counters_at = 0;
  size_t counters_size = 0;
};

/// Fails, naming what is wrong, for versions that are not known and for records that contradict the sections.
Result<RawProfile> make_raw_profile(ProfileData data);

/// Adds a profile to those that a file holds, one behind the other: its counters to the counters of the same code,
/// else behind all. Fails if the contents are no raw profiles.
Status add_profile(std::string &contents, const RawProfile &profile);

/// The same for the same code, whatever it has counted.
uint64_t profile_signature(const RawProfile &profile);

/// The counters of a function.
struct FunctionCounters {
  uint64_t name_hash = 0;
  std::vector<uint64_t> counters;
};
std::vector<FunctionCounters> functions_of(const RawProfile &profile);

} // namespace omptarget::gpu
