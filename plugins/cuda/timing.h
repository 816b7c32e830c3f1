// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of work by the driver's events: one before it and one behind it, measured from a reference of which the
// host's time is known.
#pragma once

#include <cstdint>
#include <mutex>

#include "base/status.h"
#include "common/handle_pool.h"
#include "cuda/cuda_api.h"
#include "gpu/queue.h"

namespace omptarget::cuda {

class QueueSet;

/// The events around what is timed.
struct Timing {
  CUevent begin = nullptr;
  CUevent end = nullptr;
};

/// Any thread. Context of the device current.
class Timings {
public:
  explicit Timings(QueueSet &queues) : queues_(queues) {}

  /// One to use, and a reference that is recent, if nothing is being timed: the driver tells milliseconds in 24 bits,
  /// and clocks drift. A reference is made on a stream that is given back, so the caller takes its own stream
  /// afterwards.
  Result<Timing *> take();
  void give_back(Timing *timing);
  /// Both events are complete.
  Result<gpu::Times> read(const Timing &timing) const;
  Status release_all();

private:
  Status make_reference();

  QueueSet &queues_;
  HandlePool<Timing *> timings_;
  mutable std::mutex mutex_;    ///< guards the reference; held while it is made, which takes and gives back a stream
  CUevent reference_ = nullptr; ///< reference of all open timings
  CUevent candidate_ = nullptr; ///< for the next one
  uint64_t reference_ns_ = 0;   ///< the host's time of it
  uint64_t open_ = 0;           ///< timings that are taken
};

} // namespace omptarget::cuda
