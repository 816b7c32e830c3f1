// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading the argument block of a launch.
#pragma once

#include "base/status.h"
#include "omptarget/types.h"
#include "region/launch.h"

namespace omptarget {

/// Reads the block as far as its version goes, and nothing else; num_teams and thread_limit are the call's. Fails, naming
/// the version, for blocks of versions that no compiler of generations/clang.def emits. Of a block of version 5 the last
/// argument, the implicit one, is taken off.
Result<LaunchRequest> read_kernel_args(const void *block, int32_t num_teams, int32_t thread_limit);

} // namespace omptarget
