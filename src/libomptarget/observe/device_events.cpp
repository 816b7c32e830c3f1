// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/device_events.h"

#include <atomic>
#include <utility>

#include "observe/listener_table.h"

namespace omptarget::observe {

static constinit std::atomic<bool> silent_plugins[kMaxDevices] = {};

void note_silent_plugin(DeviceId device) { silent_plugins[raw(device)].store(true, std::memory_order_relaxed); }

bool has_silent_plugin(DeviceId device) {
  return raw(device) >= 0 && raw(device) < kMaxDevices && silent_plugins[raw(device)].load(std::memory_order_relaxed);
}

constexpr uint32_t kEverybody = ~uint32_t{0}; // a tool learns of devices whatever else it wants to know

void device_initialised(DeviceId device, const char *architecture) {
  tell(kEverybody, &Listener::device_initialised, device, architecture);
}
void image_loaded(DeviceId device, const void *image, size_t bytes, uint64_t module) {
  tell(kEverybody, &Listener::image_loaded, device, image, bytes, module);
}
void image_unloaded(DeviceId device, uint64_t module) { tell(kEverybody, &Listener::image_unloaded, device, module); }
void device_finalised(DeviceId device) { tell(kEverybody, &Listener::device_finalised, device); }

void report_memory_at_end(DeviceId device, ReadDeviceMemory read) {
  tell(listeners(), &Listener::memory_at_end, device, read);
}
void keep_memory_report(DeviceId device) { tell(listeners(), &Listener::keep_memory, device); }
void forget_names(uintptr_t begin, uintptr_t end) { tell(listeners(), &Listener::forget_names, begin, end); }
void flush_reports() { tell(listeners(), &Listener::write); }

} // namespace omptarget::observe
