// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory behind malloc of device code, where the device runtime in an image takes it from a pool that the plugin
// gives it.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "base/status.h"
#include "common/device_layouts.h"

namespace omptarget::gpu {

class Device;
class Image;

/// Bytes of an image's pool. wanted: bytes that the user asks for; if it is less than 0, the pool gets what there is
/// to spare, since other processes and libraries use the device, too. free: bytes that nobody uses; given: bytes of
/// the pools that there are.
uint64_t heap_pool_size(int64_t wanted, uint64_t free, uint64_t given);

/// The pools of a device. Serialised by the caller, inside of a Scope.
class HeapPools {
public:
  /// Reads LIBOMPTARGET_HEAP_SIZE. counts: pools have room for what device code counts.
  void init(bool counts);
  /// Gives an image that was just loaded its pool, if it has a place for one.
  Status give(Device &device, Image &image);
  /// Returns the statistics of the image's pool; nothing if they were not counted.
  Result<std::optional<DeviceMemoryPoolTracker>> statistics(Device &device, const Image &image) const;
  /// Frees the pool of an image that is about to be unloaded.
  Status take_back(Device &device, const Image &image);

private:
  struct Pool {
    void *memory;
    uint64_t size;
  };
  int64_t wanted_ = -1;
  bool counts_ = false;
  uint64_t given_ = 0; ///< bytes
  std::unordered_map<const Image *, Pool> pools_;
};

} // namespace omptarget::gpu
