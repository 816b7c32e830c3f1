// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Teams of the size that GPU-shaped kernels ask for. libomp makes teams of at most as many threads as there are
// processors. A kernel whose threads wait for one another at barriers, and which takes its thread_limit for the number
// of threads, computes wrong results then. The calls that such a kernel makes of libomp come here instead. Its teams
// run one after another, each as an initial thread of libomp with parallel regions of the full size.
#pragma once

#include <string_view>

#include "base/address_range.h"
#include "host/code_map.h"

namespace omptarget::host {

/// The functions that an image calls, named one by one.
class BlockTeamCalls {
public:
  /// Returns the function of ours that takes the place of libomp's, or null.
  const void *function_for(std::string_view name);
  /// Returns whether the image has teams and barriers, and nothing that these teams cannot do.
  bool are_needed() const { return has_teams_ && has_barriers_ && !has_others_; }

private:
  bool has_teams_ = false, has_barriers_ = false, has_others_ = false;
};

/// The addresses are those of such an image, until it is forgotten. Any thread.
void add_block_teams(AddressRange image, CodeMap &code);
void forget_block_teams(AddressRange image);

void lock_block_teams_for_fork();
void unlock_block_teams_after_fork(bool is_child);

} // namespace omptarget::host
