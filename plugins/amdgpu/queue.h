// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The streams and events of a device, pooled. A stream is a Stream, whose first member is the HSA queue that its kernels go
// to, so that interop can give it to the program.
#pragma once

#include <memory>
#include <vector>

#include "amdgpu/hardware_queue.h"
#include "amdgpu/stream.h"
#include "base/guarded.h"
#include "common/handle_pool.h"
#include "gpu/queue.h"

namespace omptarget::amdgpu {

class Device;

class QueueSet final : public gpu::QueueSet {
public:
  explicit QueueSet(Device &device);

  Status init() override;
  Result<void *> take() override;
  void give_back(void *stream) override;
  Result<void *> create_event() override;
  void *take_event() override { return events_.take(); }
  void destroy_event(void *event) override;
  Status record(void *event, void *stream) override;
  Status wait_for(void *event, void *stream) override;
  Status wait_for(void *event) override;

  /// Waits until all kernels launched so far are complete.
  Status wait_for_kernels() { return hardware_.wait_for_all(); }

  // The times of work: timing.cpp.
  Result<void *> start_timing(__tgt_async_info &async) override;
  Status stop_timing(void *stream, void *timing) override;
  Result<gpu::Times> read_timing(void *timing) override;
  void drop_timing(void *timing) override;

private:
  Status finish(void *stream) override;
  bool sleeps_in_finish() const override;
  Result<bool> is_finished(void *stream) override;
  void abandon(void *stream) override;
  bool is_interop(void *stream) override;
  void set_interop(void *stream, bool is_interop) override;
  Status finish_all() override;
  Status release_own() override;

  Device &own_device_;
  HardwareQueueSet hardware_;
  HandlePool<Stream *> streams_;
  HandlePool<Event *> events_;
  Guarded<std::vector<std::unique_ptr<Stream>>> all_streams_;
  Guarded<std::vector<std::unique_ptr<Event>>> all_events_;
  struct Clock {
    ClockReference reference; ///< of all timings that are open
    uint64_t open = 0;
    bool copies_keep_times = false;
  };
  Guarded<Clock> clock_;
};

} // namespace omptarget::amdgpu
