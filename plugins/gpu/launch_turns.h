// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order among the kernels of an image that must not run at once. Reductions over teams of clang 14 to 17 have one
// buffer in the image for all kernels and launches.
#pragma once

#include <mutex>
#include <string_view>

#include "base/status.h"
#include "base/uncancelled.h"
#include "gpu/queue.h"

namespace omptarget::gpu {

/// Returns whether kernels of the image have such a buffer.
bool shares_reduction_buffer(std::string_view image);

/// Any thread, inside of a Scope of the device.
class LaunchTurns {
public:
  /// Starts a kernel on the stream, behind the kernels that were started here before.
  template <typename Start> Status run(QueueSet &queues, Stream &stream, Start start) {
    const Uncancelled uncancelled;
    const std::lock_guard lock(mutex_);
    OMPTARGET_TRY(begin(queues, stream));
    OMPTARGET_TRY(start());
    last_ = &stream;
    return queues.record(event_, stream);
  }
  /// None of the kernels is under way.
  void release(QueueSet &queues);

private:
  Status begin(QueueSet &queues, Stream &stream);

  std::mutex mutex_; ///< held while the driver starts a kernel
  const Stream *last_ = nullptr;
  void *event_ = nullptr; ///< behind the last kernel
};

} // namespace omptarget::gpu
