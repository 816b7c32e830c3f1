// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target construct (OpenMP 5.2, section 13.8): data in, kernel, data out.
#pragma once

#include "base/status.h"
#include "region/call.h"

namespace omptarget {

/// What a launch is asked for, in the inner form.
struct LaunchRequest {
  const void *host_id = nullptr; ///< the host's address for the kernel
  MapList list{};
  int32_t num_teams = 0;    ///< 0: not given; -1: no teams construct
  int32_t thread_limit = 0; ///< 0: not given
  uint64_t trip_count = 0;  ///< 0: unknown
  uint32_t dynamic_memory = 0;       ///< bytes of dynamic shared memory per team
  uint32_t more_teams[2] = {0, 0};   ///< second and third dimension
  uint32_t more_threads[2] = {0, 0};
  uint64_t flags = 0; ///< OMPTARGET_KERNEL_*
  BlockForm block = BlockForm::kNone; ///< with the kernel's image tells which implicit parameter the kernel has
};

enum class Outcome { kRanOnDevice, kRunOnHost };

/// Runs the kernel on the call's device and waits for it; kRunOnHost: the caller must run the host version (offloading is
/// off, no device, or no image of the module fits the device).
Result<Outcome> launch(const Call &call, const LaunchRequest &request);

} // namespace omptarget
