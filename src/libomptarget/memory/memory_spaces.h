// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The storage resources behind the memory spaces of devices (OpenMP 6.0, sections 8.1 and 27.1), as libomp 23 asks for
// them. When it allocates, it passes its own handle of an allocator, and no documented function leads from that to a
// device. So the host and every device of one plugin reach all of this memory. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/status.h"

namespace omptarget {

class Device;

/// The numbers by which libomp tells resources apart. No device has more than one of them.
enum class StorageResource : int32_t {
  kHost = 0,   ///< memory of the host, for devices that reach what the CPU does
  kShared = 1, ///< the plugin's memory that host and devices share
};

struct DeviceSelection {
  const int32_t *numbers; ///< omp_initial_device and the number after the last device's: the host
  int32_t count;
};

/// The resource of a predefined memory space (a value of omp_memspace_handle_t) that the host and all of the devices
/// reach, or none. Makes the devices ready. Fails for numbers that are no device's.
Result<std::optional<StorageResource>> storage_resource(const DeviceSelection &devices, uintptr_t space);

/// Memory that the devices of all resources reach that were found so far, aligned to 256 bytes. Null for size 0.
Result<void *> allocate_in_memory_space(size_t size);
/// Fails for an address that allocate_in_memory_space did not return.
Status free_in_memory_space(void *memory);

/// Returns whether the bytes lie in a block that was allocated for the host and for this device.
bool is_shared_with(const Device &device, const void *begin, size_t size);

} // namespace omptarget
