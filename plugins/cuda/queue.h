// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's streams and events, pooled.
#pragma once

#include <atomic>
#include <unordered_map>

#include "base/guarded.h"
#include "base/status.h"
#include "common/handle_pool.h"
#include "cuda/cuda_api.h"
#include "cuda/stream.h"
#include "cuda/timing.h"
#include "gpu/queue.h"

namespace omptarget::cuda {

class Memory;

class QueueSet final : public gpu::QueueSet {
public:
  QueueSet(gpu::Device &device, Memory &memory) : gpu::QueueSet(device), memory_(memory) {}

  /// Prepares, on the stream, the launch environment of a kernel.
  Result<uint64_t> launch_environment(Stream &stream, const gpu::EnvironmentNeed &need);

  /// Copies from the device to memory that is known to be pageable, or to a few bytes anywhere; complete when the
  /// stream has been waited for. Interop's streams are waited for by others.
  Status copy_out(Stream &stream, void *host, uint64_t target, size_t size, bool is_pageable);
  /// Waits for copies to this host memory that were begun before on the stream.
  Status settle(Stream &stream, const void *host, size_t size);
  /// Waits for copies that kernels may see.
  Status settle_for_kernels(Stream &stream);

  Status init() override;
  Result<gpu::Stream *> take() override;
  void give_back(gpu::Stream &stream) override;
  Result<void *> create_event() override;
  void *take_event() override { return events_.take(); }
  void destroy_event(void *event) override;
  Status record(void *event, gpu::Stream &stream) override;
  Status wait_for(void *event, gpu::Stream &stream) override;
  Status wait_for(void *event) override;
  Result<void *> start_timing(const gpu::Caller &caller) override;
  Status stop_timing(gpu::Stream &stream, void *timing) override;
  Result<gpu::Times> read_timing(void *timing) override;
  void drop_timing(void *timing) override { timings_.give_back(static_cast<Timing *>(timing)); }
  Status show_prints() override;

private:
  using EventCopies = std::unordered_map<CUevent, gpu::SharedCopies>;

  Status finish(gpu::Stream &stream) override;
  bool sleeps_in_finish() const override;
  Result<bool> is_finished(gpu::Stream &stream) override;
  void abandon(gpu::Stream &stream) override;
  Status finished(gpu::Stream &stream) override;
  Status finish_all() override;
  Status release_own() override;
  gpu::SharedCopies copies_before(CUevent event);
  void set_copies_before(CUevent event, const gpu::SharedCopies &copies);

  Memory &memory_;
  HandlePool<Stream *> streams_;
  HandlePool<CUevent> events_;
  std::atomic<size_t> event_copies_count_{0}; ///< entries of event_copies_, so that most calls need no look
  Guarded<EventCopies> event_copies_;         ///< copies that an event stands behind
  Timings timings_{*this};
};

} // namespace omptarget::cuda
