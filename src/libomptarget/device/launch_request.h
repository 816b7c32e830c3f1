// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a target construct asks for.
#pragma once

#include "image/kernel_forms.h"
#include "mapping/map_type.h"
#include "omptarget/types.h"

namespace omptarget {

/// A request for a launch, in the inner form. Has no initial values, which would cost a launch more than reading
/// them does: the maker of a request fills all of it.
struct LaunchRequest { // NOLINT(cppcoreguidelines-pro-type-member-init)
  const void *host_id; ///< the host's address for the kernel
  MapList list;
  BlockForm block; ///< with the kernel's image tells which implicit parameter the kernel has
  /// The plugin's argument block, but for version and arguments: teams and threads by dimension (0: not given;
  /// without a teams construct 1), trip count (0: unknown), flags, bytes of dynamic shared memory per team.
  __tgt_kernel_args args;
  /// If a variant of the kernel is launched that has a shape (Kernel::has_shape): the teams and threads that args had.
  uint32_t asked_teams, asked_threads;
};

} // namespace omptarget
