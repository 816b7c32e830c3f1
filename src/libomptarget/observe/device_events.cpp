// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/device_events.h"

#include <atomic>
#include <utility>

#include "observe/profile.h"
#include "observe/recording_choice.h"

namespace omptarget::observe {

static constinit std::atomic<bool> silent_plugins[kMaxDevices] = {};

void note_silent_plugin(DeviceId device) { silent_plugins[raw(device)].store(true, std::memory_order_relaxed); }

bool has_silent_plugin(DeviceId device) {
  return raw(device) >= 0 && raw(device) < kMaxDevices && silent_plugins[raw(device)].load(std::memory_order_relaxed);
}

void report_memory_at_end(DeviceId device, ReadDeviceMemory read) {
  if (listeners() & listener::kProfile)
    profile_memory(device, std::move(read));
}

void keep_memory_report(DeviceId device) {
  if (listeners() & listener::kProfile)
    keep_profile_memory(device);
}

void forget_names(uintptr_t begin, uintptr_t end) { keep_profile_names(begin, end); }

void flush_reports() {
  if (listeners() & listener::kProfile)
    write_profile();
  if (listeners() & listener::kRecord)
    finish_recording();
}

} // namespace omptarget::observe
