// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "memory/memory_spaces.h"

#include <atomic>

#include "base/log.h"
#include "device/runtime.h"
#include "device/shared_blocks.h"
#include "memory/memory.h"

namespace omptarget {

namespace {

// Values of omp_memspace_handle_t in omp.h of clang 22 and 23.
constexpr uintptr_t kLargeCapacitySpace = 1, kDefaultSpace = 99, kTargetSharedSpace = 101;
constexpr int32_t kInitialDevice = -1;
/// libomp does not pass the alignment that the program asks for. Memory of GPUs has this much anyhow.
constexpr size_t kAlignment = 256;

/// The device whose plugin all shared memory comes from: the first that needed it. An allocation cannot tell for which
/// devices it is, so that the process has one such plugin.
constinit std::atomic<int32_t> shared_memory_device{kInitialDevice};

bool is_space_of_devices(uintptr_t space) {
  return space == kDefaultSpace || space == kLargeCapacitySpace || space == kTargetSharedSpace;
}

bool reaches_what_the_cpu_does(const Device &device) {
  return device.plugin_device().host_memory_access() == OMPTARGET_HOST_MEMORY_SHARED;
}

/// Devices of other plugins that reach the host's memory by page faults need not reach what a driver has mapped.
bool reaches_shared_memory(const Device &device, const Device &owner) {
  return &device.plugin() == &owner.plugin() || reaches_what_the_cpu_does(device);
}

/// Not every device and plugin has such memory; only an allocation tells.
bool has_shared_memory(int32_t device) {
  Result<void *> memory = allocate_memory(1, device, OMPTARGET_ALLOC_SHARED);
  Status status = memory.is_ok() ? free_memory(*memory, device, OMPTARGET_ALLOC_SHARED) : memory.take_status();
  if (!status)
    OMPTARGET_TRACE_DEVICE(Topic::kApi, device, "has no memory that it shares with the host: %s",
                           status.to_string().c_str());
  const bool is_there = status.is_ok();
  status.consume();
  return is_there;
}

/// The device that shared memory comes from, which this one becomes if there is none yet; null: it has no such memory.
Device *owner_of_shared_memory(const Device &device) {
  int32_t owner = shared_memory_device.load(std::memory_order_acquire);
  if (owner == kInitialDevice) {
    const auto number = static_cast<int32_t>(raw(device.id()));
    if (!has_shared_memory(number))
      return nullptr;
    if (shared_memory_device.compare_exchange_strong(owner, number, std::memory_order_acq_rel,
                                                     std::memory_order_acquire))
      owner = number;
  }
  return Runtime::get().known_device(owner);
}

void *align(void *memory) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(memory);
  return static_cast<char *>(memory) + (kAlignment - address % kAlignment) % kAlignment;
}

} // namespace

Result<std::optional<StorageResource>> storage_resource(const DeviceSelection &devices, uintptr_t space) {
  if (devices.count < 0 || (devices.count > 0 && !devices.numbers))
    return Status::error(
        format("the list of %d devices at %p is none", devices.count, static_cast<const void *>(devices.numbers)));
  if (!is_space_of_devices(space))
    return std::optional<StorageResource>();
  const Device *first = nullptr; // that needs memory of its plugin's
  bool are_alike = true;
  for (int32_t i = 0; i < devices.count; ++i) {
    OMPTARGET_TRY_ASSIGN(const DeviceUse device, api_device(devices.numbers[i]));
    if (!device || reaches_what_the_cpu_does(*device))
      continue;
    if (!first)
      first = device.get();
    are_alike = are_alike && reaches_shared_memory(*device, *first);
  }
  if (!first)
    return std::optional(StorageResource::kHost);
  const Device *const owner = are_alike ? owner_of_shared_memory(*first) : nullptr;
  if (!owner || !reaches_shared_memory(*first, *owner))
    return std::optional<StorageResource>();
  return std::optional(StorageResource::kShared);
}

Result<void *> allocate_in_memory_space(size_t size) {
  if (size == 0)
    return static_cast<void *>(nullptr);
  const int32_t device = shared_memory_device.load(std::memory_order_acquire);
  size_t padded = 0;
  if (__builtin_add_overflow(size, kAlignment - 1, &padded))
    padded = size; // fails as it is
  OMPTARGET_TRY_ASSIGN(void *const memory, allocate_memory(padded, device, OMPTARGET_ALLOC_SHARED));
  return align(memory);
}

Status free_in_memory_space(void *memory) {
  if (!memory)
    return Status::ok();
  const std::optional<SharedBlock> block = find_shared_block(memory, 1);
  if (!block || align(block->begin) != memory)
    return Status::error(format("%p was not allocated in a memory space of devices", memory));
  return free_memory(block->begin, block->device, OMPTARGET_ALLOC_SHARED);
}

bool is_shared_with(const Device &device, const void *begin, size_t size) {
  const std::optional<SharedBlock> block = find_shared_block(begin, size);
  const Device *const owner = block ? Runtime::get().known_device(block->device) : nullptr;
  return owner && reaches_shared_memory(device, *owner);
}

} // namespace omptarget
