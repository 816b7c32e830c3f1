// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of devices: initialised, images loaded and unloaded, ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/address.h"

namespace omptarget::observe {

/// The device's plugin prints no information: the host library prints the lines of its kernels.
void note_silent_plugin(DeviceId device);
bool has_silent_plugin(DeviceId device);

/// architecture: what the plugin says, or its name.
void device_initialised(DeviceId device, const char *architecture);
void image_loaded(DeviceId device, const void *image, size_t bytes, uint64_t module);
void image_unloaded(DeviceId device, uint64_t module);
/// The program ends: nothing more is reported for the device.
void device_finalised(DeviceId device);

/// The way of mapped data: copied; used in place, because the program requires unified_shared_memory or the plugin says
/// so.
enum class MappedData : uint8_t { kCopied, kUnified, kInPlace };

/// How a device's memory was used; as __tgt_memory_statistics.
struct DeviceMemory {
  DeviceId device;
  uint64_t allocations;
  uint64_t reused;
  uint64_t driver_allocations;
  uint64_t kept_bytes;
  uint64_t used_bytes;
  uint64_t most_used_bytes;
  MappedData mapped = MappedData::kCopied;
};
/// How a device's memory is used now, or nothing if its plugin does not tell.
using ReadDeviceMemory = std::function<std::optional<DeviceMemory>()>;
/// Has the profile end with how the device's memory was used; read is called at the end of the device or of the
/// process.
void report_memory_at_end(DeviceId device, ReadDeviceMemory read);

/// Reads that now: the device ends.
void keep_memory_report(DeviceId device);

/// Memory goes that has names, such as a module's: those of recorded events are kept in copies.
void forget_names(uintptr_t begin, uintptr_t end);

/// Writes what is to be written before the process ends. Any number of times.
void flush_reports();

} // namespace omptarget::observe
