// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The profile, OMPT tools and the recorder listen to constructs and devices. The functions that report an event call
// them through this table, and need not know them.
#pragma once

#include <cstdint>
#include <span>

#include "observe/construct_events.h"
#include "observe/device_events.h"

namespace omptarget::observe {

/// The values are OMPT's.
enum class Endpoint : int { kBegin = 1, kEnd = 2 };

/// The functions of a listener. All but bits may be null: the listener is not told of that. Each is called by the
/// thread to which it happens, with no lock of the library's held.
struct Listener {
  uint32_t bits; ///< it learns of constructs, work and waits that begin while one of these is set

  /// Reads the settings of the listener, and returns whether it listens from now on. Any thread, any number of times.
  /// Null: set_listener says when.
  bool (*start)() = nullptr;

  void (*construct)(ConstructRecord &construct, Endpoint endpoint) = nullptr;
  void (*data_operation)(DataOperationRecord &operation, Endpoint endpoint) = nullptr;
  void (*kernel)(KernelRecord &kernel, Endpoint endpoint) = nullptr;

  /// The work is done, and when that was is known. fingerprint: as the function below has returned it, or 0.
  void (*data_operation_done)(const DataOperationRecord &operation, const WorkTimes &times, const EventContext &context,
                              uint64_t fingerprint) = nullptr;
  void (*kernel_done)(const KernelRecord &kernel, const WorkTimes &times, const EventContext &context) = nullptr;
  /// Returns what the listener wants to know about data that are being copied to a device. The program may change them
  /// before the copy is done.
  uint64_t (*fingerprint)(const void *host, int64_t bytes) = nullptr;

  void (*waited)(DeviceId device, uint64_t begin_ns, uint64_t end_ns) = nullptr;
  void (*host_fallback)(const ident_t *location, const char *kernel, const char *reason) = nullptr;
  bool (*wants_map_items)() = nullptr;
  void (*map_items)(ConstructRecord &construct, std::span<const MappedItem> items) = nullptr;

  /// Events of devices, as device_events.h has them.
  void (*device_initialised)(DeviceId device, const char *architecture) = nullptr;
  void (*image_loaded)(DeviceId device, const void *image, size_t bytes, uint64_t module) = nullptr;
  void (*image_unloaded)(DeviceId device, uint64_t module) = nullptr;
  void (*device_finalised)(DeviceId device) = nullptr;
  void (*memory_at_end)(DeviceId device, ReadDeviceMemory read) = nullptr;
  void (*keep_memory)(DeviceId device) = nullptr;
  void (*forget_names)(uintptr_t begin, uintptr_t end) = nullptr;
  void (*write)() = nullptr;
};

/// All listeners. An event reaches them in this order. The table is in abi/listeners.cpp.
extern const std::span<const Listener *const> all_listeners;

/// Tells those of the listeners with one of these bits that have a function for the event.
template <typename... Parameters, typename... Arguments>
void tell(uint32_t bits, void (*Listener::*event)(Parameters...), Arguments &&...arguments) {
  for (const Listener *const listener : all_listeners)
    if ((listener->bits & bits) != 0 && listener->*event)
      (listener->*event)(arguments...);
}

} // namespace omptarget::observe
