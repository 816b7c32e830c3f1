// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/device_times.h"

#include "base/log.h"

namespace omptarget {

/// Null if the plugin has no times, or not now.
void *DeviceTimes::start(Queue &queue) {
  if (!device_.plugin().has_timing())
    return nullptr;
  Result<void *> timing = device_.plugin_device().start_timing(queue);
  if (timing.is_ok())
    return timing.value();
  OMPTARGET_TRACE_DEVICE(Topic::kTransfer, device_.id(), "no times of the device: %s",
                         timing.status().to_string().c_str());
  return nullptr;
}

/// Returns whether the times will be there. Otherwise the operation is complete, or has failed.
bool DeviceTimes::stop(Queue &queue, Status &status, void *timing) {
  const PluginDevice &device = device_.plugin_device();
  if (timing && status) {
    Status stopped = device.stop_timing(queue, timing);
    if (stopped.is_ok())
      return true;
    OMPTARGET_TRACE_DEVICE(Topic::kTransfer, device_.id(), "no times of the device: %s", stopped.to_string().c_str());
    stopped.consume();
  }
  if (timing)
    device.drop_timing(timing);
  if (status && queue.is_busy())
    status = device.synchronize(queue);
  return false;
}

void DeviceTimes::report(bool has_worked) {
  const PluginDevice &device = device_.plugin_device();
  for (const LateEvent &event : late_) {
    if (!has_worked) {
      device.drop_timing(event.timing);
      event.report.publish(nullptr);
      continue;
    }
    Result<Plugin::Times> read = device.read_timing(event.timing);
    if (!read.is_ok())
      OMPTARGET_TRACE_DEVICE(Topic::kTransfer, device_.id(), "no times of the device: %s",
                             read.status().to_string().c_str());
    const observe::WorkTimes times =
        read.is_ok() ? observe::WorkTimes{read->begin_ns, read->end_ns} : observe::WorkTimes{};
    event.report.publish(read.is_ok() ? &times : nullptr);
  }
  late_.clear();
}

} // namespace omptarget
