// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/launch_turns.h"

#include <utility>

namespace omptarget::gpu {

bool shares_reduction_buffer(std::string_view image) {
  return image.find("_openmp_teams_reductions_buffer_$_") != image.npos;
}

Status LaunchTurns::begin(QueueSet &queues, Stream &stream) {
  if (!event_) {
    OMPTARGET_TRY_ASSIGN(event_, queues.create_event());
  }
  return last_ && last_ != &stream ? queues.wait_for(event_, stream) : Status::ok();
}

void LaunchTurns::release(QueueSet &queues) {
  if (void *const event = std::exchange(event_, nullptr))
    queues.destroy_event(event);
  last_ = nullptr;
}

} // namespace omptarget::gpu
