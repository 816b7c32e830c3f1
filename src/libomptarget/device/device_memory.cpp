// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Device that deals with its memory.

#include "device/device.h"

namespace omptarget {

Result<void *> Device::allocate(int64_t size, void *host, int32_t kind) {
  auto allocated = plugin_device_.data_alloc(size, host, kind);
  if (allocated.is_ok())
    return allocated;
  return allocate_again(allocated.take_status(), size, host, kind);
}

/// Waits for large blocks that other threads are freeing: their data may be those that the caller enters again.
Result<void *> Device::allocate_again(Status failure, int64_t size, void *host, int32_t kind) {
  const LargeFrees &frees = map_.large_frees();
  if (!free_dormant() && !frees.have_begun())
    return failure;
  for (;;) {
    failure.consume();
    const uint64_t since = frees.so_far();
    auto allocated = plugin_device_.data_alloc(size, host, kind);
    if (allocated.is_ok() || !frees.wait_for_change(since))
      return allocated;
    failure = allocated.take_status();
  }
}

bool Device::free_dormant() {
  map_.evict_all();
  return free_all_evicted();
}

Status Device::trim_memory() {
  free_dormant();
  return plugin_device_.trim_memory();
}

/// Returns whether there was something to free.
bool Device::free_all_evicted() {
  const std::vector<DevicePtr> evicted = map_.dormant().take_evicted();
  for (const DevicePtr block : evicted)
    plugin_device_.data_delete(raw(block), OMPTARGET_ALLOC_DEFAULT).consume();
  return !evicted.empty();
}

} // namespace omptarget
