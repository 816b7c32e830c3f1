// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device memory routines (OpenMP 5.2, section 18.8), by number of device; the initial device is the host. Any
// thread. Sizes and lengths are in bytes. Functions that return a Status or Result fail for a number that is no
// device's.
#pragma once

#include <cstddef>

#include "base/status.h"
#include "device/call.h"

namespace omptarget {

/// The device of an API call; null: the host. Fails for invalid numbers and devices that have ended. Unlike
/// constructs, -1 is omp_initial_device.
Result<DeviceUse> api_device(int32_t number);

/// Memory of the given kind (OMPTARGET_ALLOC_*), which the caller frees; on the host malloc's. Null for size 0.
Result<void *> allocate_memory(size_t size, int32_t device, int32_t kind);
Status free_memory(void *pointer, int32_t device, int32_t kind);

/// One end of a copy.
struct Place {
  void *address;
  size_t offset; ///< bytes
  int32_t device;
};
/// Fails for null addresses and for ranges that no memory can have.
Status check_copy(const Place &destination, const Place &source, size_t length);
/// Copies length bytes between any two places. Complete on return. Fails as check_copy does.
Status copy_memory(const Place &destination, const Place &source, size_t length);

/// Part of a multi-dimensional array, in elements, outermost dimension first (OpenMP 5.2, section 18.8.6).
struct Rectangle {
  void *array;
  int32_t device;
  const size_t *offsets;
  const size_t *dimensions; ///< of the array
};
struct RectangleShape {
  size_t element_size; ///< bytes
  int dimensions;
  const size_t *volume;
};
inline constexpr int kMostDimensions = 64;
/// Fails for null arrays, no or too many dimensions, rectangles that are not in their arrays, and arrays that no
/// memory has room for.
Status check_rectangle(const Rectangle &destination, const Rectangle &source, const RectangleShape &shape);
/// Copies a rectangle. Complete on return. Fails as check_rectangle does.
Status copy_rectangle(const Rectangle &destination, const Rectangle &source, const RectangleShape &shape);

/// Fails for a null address and for a range that no memory can have.
Status check_fill(const void *pointer, size_t length);
/// Fills memory of a device, or of the host. Complete on return. Fails as check_fill does.
Status fill_memory(void *pointer, uint8_t value, size_t length, int32_t device);

/// Returns whether code on the device can use size bytes at an address of the host's as they are. It can if it reaches
/// the host's memory, or if they were allocated for host and device. False for a range that no memory can have.
Result<bool> is_accessible(const void *pointer, size_t size, int32_t device);

/// Makes host memory present at device memory that the program owns (size bytes at offset of target), and takes that
/// back. Fails if something else is present there, or nothing that was associated, and for ranges that no memory can
/// have.
Status associate(const void *host, const void *target, size_t offset, size_t size, int32_t device);
Status disassociate(const void *host, int32_t device);

/// Pins host memory for a device; the address under which the device reaches it, or null if it cannot be pinned.
Result<void *> lock_memory(void *pointer, size_t size, int32_t device);
Status unlock_memory(void *pointer, int32_t device);

/// A name of the device that stays the same from run to run as far as its plugin can tell; it lives for ever. Null:
/// no such device. device_of_uid returns the device of a name, or -2.
const char *uid_of_device(int32_t device);
int32_t device_of_uid(const char *uid);

/// The device address of a host address; null if it is not present; the address itself on the host.
Result<void *> mapped_address(const void *pointer, int32_t device);
Result<bool> is_present(const void *pointer, int32_t device);

/// The device number of omp_pause_resource for all devices.
inline constexpr int32_t kAllDevices = -11;
/// Gives back what a device, or each of them, keeps for later; what the program has there stays. Does nothing for
/// devices that are not in use, and for the host.
Status trim_memory(int32_t device);

/// Bytes of dynamic memory that a team of the device can have for the group: 0 for its contention group, 1 for a
/// parallel team, which has none. 0 for the host.
Result<size_t> group_memory_limit(int32_t device, int32_t group);

} // namespace omptarget
