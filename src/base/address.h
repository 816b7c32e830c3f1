// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of host and device memory and numbers of devices as types of their own, so that they cannot be swapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace omptarget {

enum class HostPtr : uintptr_t { kNull = 0 };
enum class DevicePtr : uintptr_t { kNull = 0 };
/// Number of a device in the program, 0 to number of devices - 1; the initial device has the number after the last.
enum class DeviceId : int32_t { kDefault = -1 };
/// There are at most so many devices; a plugin that reports more is not believed.
inline constexpr int32_t kMaxDevices = 4096;

inline HostPtr host_ptr(const void *pointer) { return static_cast<HostPtr>(reinterpret_cast<uintptr_t>(pointer)); }
inline DevicePtr device_ptr(const void *pointer) {
  return static_cast<DevicePtr>(reinterpret_cast<uintptr_t>(pointer));
}
inline void *raw(HostPtr pointer) { return reinterpret_cast<void *>(static_cast<uintptr_t>(pointer)); }
inline void *raw(DevicePtr pointer) { return reinterpret_cast<void *>(static_cast<uintptr_t>(pointer)); }
inline int32_t raw(DeviceId device) { return static_cast<int32_t>(device); }

inline HostPtr operator+(HostPtr pointer, int64_t bytes) {
  return static_cast<HostPtr>(static_cast<uintptr_t>(pointer) + static_cast<uintptr_t>(bytes));
}
inline DevicePtr operator+(DevicePtr pointer, int64_t bytes) {
  return static_cast<DevicePtr>(static_cast<uintptr_t>(pointer) + static_cast<uintptr_t>(bytes));
}
inline int64_t operator-(HostPtr left, HostPtr right) {
  return static_cast<int64_t>(static_cast<uintptr_t>(left) - static_cast<uintptr_t>(right));
}
inline int64_t operator-(DevicePtr left, DevicePtr right) {
  return static_cast<int64_t>(static_cast<uintptr_t>(left) - static_cast<uintptr_t>(right));
}

/// Returns whether size bytes at the address can be memory: they do not wrap around, and no process has more.
inline bool fits_in_memory(const void *address, uint64_t size) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 56;
  return size <= kMostBytes && size <= UINTPTR_MAX - reinterpret_cast<uintptr_t>(address);
}

/// Returns how an address is aligned, up to 16 bytes, which is as much as device memory may need for its data.
inline int64_t alignment_of(HostPtr address) {
  constexpr int64_t kMost = 16;
  const auto value = static_cast<uintptr_t>(address);
  const auto lowest_bit = static_cast<int64_t>(value & (~value + 1));
  return lowest_bit == 0 || lowest_bit > kMost ? kMost : lowest_bit;
}

/// The pointer that is stored there, which need not be aligned.
inline HostPtr load_pointer(HostPtr address) {
  HostPtr value;
  std::memcpy(&value, raw(address), sizeof value);
  return value;
}

} // namespace omptarget
