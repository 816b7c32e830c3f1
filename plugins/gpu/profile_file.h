// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files that raw profiles of devices go to, named by LLVM_PROFILE_FILE as the host's own are, with the target
// before the name.
#pragma once

#include <string>

#include "base/status.h"
#include "gpu/raw_profile.h"

namespace omptarget::gpu {

/// The parts of a name.
struct ProfileName {
  std::string pattern;   ///< LLVM_PROFILE_FILE
  std::string target;    ///< "amdgcn-amd-amdhsa"
  std::string temporary; ///< what %t stands for
  uint64_t signature = 0;
};

/// The name: %p the process, %h the machine, %t TMPDIR, %b and %m the code, %Nm one of N; %c nothing. Any other
/// text behind % stays as it is. merges: whether the file keeps what other processes have counted (%m).
std::string profile_path(const ProfileName &name, bool &merges);

/// Writes a profile to its file, whose name the environment gives. The first of a process replaces what the file
/// held, unless the name has %m; every other is added. Makes the folder. Any thread. Returns the file's name.
Result<std::string> write_profile(const RawProfile &profile, const char *target);

} // namespace omptarget::gpu
