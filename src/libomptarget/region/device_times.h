// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The times that the device tells of queued operations, for profiles and device traces.
#pragma once

#include <vector>

#include "device/device.h"
#include "observe/construct_events.h"

namespace omptarget {

/// The operations of one queue. Used by one thread.
class DeviceTimes {
public:
  explicit DeviceTimes(const Device &device) : device_(device) {}
  DeviceTimes(const DeviceTimes &) = delete;
  DeviceTimes &operator=(const DeviceTimes &) = delete;

  /// Queues an operation, work(), which event tells of: with the device's times while a profile or a device trace is
  /// made. Where the plugin has none it waits for the operation, so that its time is its own.
  template <typename Event, typename Work> Status timed(Queue &queue, Event &event, Work work) {
    if (!event.wants_times())
      return work();
    void *const timing = start(queue);
    Status status = work();
    if (stop(queue, status, timing))
      late_.push_back({timing, event.postpone()});
    return status;
  }

  /// Returns whether no operation waits for its times.
  bool is_empty() const { return late_.empty(); }
  /// The work of the queue is complete, or has failed: reports all operations.
  void report(bool has_worked);

private:
  void *start(Queue &queue);
  bool stop(Queue &queue, Status &status, void *timing);
  struct LateEvent {
    void *timing;
    observe::LateReport report;
  };

  const Device &device_;
  std::vector<LateEvent> late_;
};

} // namespace omptarget
