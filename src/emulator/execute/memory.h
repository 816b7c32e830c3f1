// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that device code may reach: the allocations of one device as the driver's stand-in knows them. Shared by
// all targets. Addresses of device memory are those of this process, so that copies and kernels see the same bytes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace emulator::executor {

/// Loads 1, 2, 4 or 8 bytes of device memory, which other threads may change. An aligned value is loaded at once, and
/// orders as an acquire does.
template <class T> T load_value(const void *bytes) {
  T value;
  if (reinterpret_cast<uintptr_t>(bytes) % sizeof(T) == 0)
    __atomic_load(static_cast<const T *>(bytes), &value, __ATOMIC_ACQUIRE);
  else
    std::memcpy(&value, bytes, sizeof(T));
  return value;
}
/// Stores such bytes. An aligned value is stored at once, and orders as a release does.
template <class T> void store_value(void *bytes, T value) {
  if (reinterpret_cast<uintptr_t>(bytes) % sizeof(T) == 0)
    __atomic_store(static_cast<T *>(bytes), &value, __ATOMIC_RELEASE);
  else
    std::memcpy(bytes, &value, sizeof(T));
}

/// Compilers make atomic operations on 1 or 2 bytes from one on the aligned word of this size around them.
inline constexpr uint64_t kWordSize = 4;

/// Bytes that device code may reach.
struct MemoryRange {
  uint64_t begin = 0, end = 0;
  bool may_write = false;
  bool is_hosts = false; ///< the host reads and writes it while kernels run
};

/// The memory of one device. Any thread.
class DeviceMemory {
public:
  virtual ~DeviceMemory() = default;
  /// The range that holds the address, if the device reaches it.
  virtual std::optional<MemoryRange> find(uint64_t address) = 0;
  /// Names the surroundings of an address that is not reached, for a message: "; that is a null pointer".
  virtual std::string near(uint64_t) { return {}; }
  /// Changes whenever an answer of find may have.
  virtual uint64_t generation() = 0;
};

/// One launch's record of the memory. One thread.
class MemoryView {
public:
  explicit MemoryView(DeviceMemory &memory) : memory_(memory) {}
  /// The bytes at this address; null if not all of them are in one range that the device reaches, or may write.
  uint8_t *reach(uint64_t address, uint64_t size, bool writes);
  /// Returns the bytes of an aligned word of which some are in memory that the device may change; null if none are.
  /// GPUs allocate whole granules, so that the rest of the word is there.
  uint8_t *reach_word(uint64_t address);
  /// Returns the range of memory that was reached; null if it is no longer known.
  const MemoryRange *reached(uint64_t address, uint64_t size) const;
  /// Forgets what was reached if memory came or went since; returns whether it did.
  bool forget_old();
  /// Returns whether the memory that was reached is the host's.
  bool is_hosts(uint64_t address) const;
  std::string near(uint64_t address) { return memory_.near(address); }

private:
  DeviceMemory &memory_;
  std::array<MemoryRange, 8> recent_{};
  uint64_t generation_ = 0;
  unsigned next_ = 0;
};

} // namespace emulator::executor
