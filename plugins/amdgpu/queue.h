// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The streams and events of a device, pooled.
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
  Result<gpu::Stream *> take() override { return take_over(hardware_.take()); }
  Result<gpu::Stream *> take_for_interop() override { return take_over(hardware_.take_alone()); }
  void give_back(gpu::Stream &stream) override;
  Result<void *> create_event() override;
  void *take_event() override { return events_.take(); }
  void destroy_event(void *event) override;
  Status record(void *event, gpu::Stream &stream) override;
  Status wait_for(void *event, gpu::Stream &stream) override;
  Status wait_for(void *event) override;

  /// Waits until all kernels launched so far are complete.
  Status wait_for_kernels() { return hardware_.wait_for_all(); }

  // The times of work: timing.cpp.
  Result<void *> start_timing(const gpu::Caller &caller) override;
  Status stop_timing(gpu::Stream &stream, void *timing) override;
  Result<gpu::Times> read_timing(void *timing) override;
  void drop_timing(void *timing) override;

private:
  Result<gpu::Stream *> take_over(Result<HardwareQueue *> queue);
  Status finish(gpu::Stream &stream) override;
  bool sleeps_in_finish() const override;
  Result<bool> is_finished(gpu::Stream &stream) override;
  void abandon(gpu::Stream &stream) override;
  Status finish_all() override;
  Status release_own() override;

  Device &own_device_;
  HardwareQueueSet hardware_;
  HandlePool<Stream *> streams_;
  HandlePool<Event *> events_;
  Guarded<std::vector<std::unique_ptr<Stream>>> all_streams_;
  Guarded<std::vector<std::unique_ptr<Event>>> all_events_;
  struct Clock {
    ClockReference reference; ///< reference of all open timings
    uint64_t open = 0;
    bool copies_keep_times = false;
  };
  Guarded<Clock> clock_;
};

} // namespace omptarget::amdgpu
