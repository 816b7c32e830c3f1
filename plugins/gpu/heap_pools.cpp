// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/heap_pools.h"

#include <algorithm>

#include "base/log.h"
#include "base/settings.h"
#include "gpu/device.h"

namespace omptarget::gpu {

namespace {

constexpr uint64_t kMostOfImage = uint64_t{512} << 20;
constexpr uint64_t kShareOfImage = 16; ///< share of free memory
constexpr uint64_t kShareOfAll = 8;
constexpr uint64_t kUnit = 4096;

} // namespace

uint64_t heap_pool_size(int64_t wanted, uint64_t free, uint64_t given) {
  if (wanted >= 0)
    return static_cast<uint64_t>(wanted) / 16 * 16; // the unit of the device runtime
  const uint64_t most_of_all = (free + given) / kShareOfAll;
  const uint64_t left = most_of_all > given ? most_of_all - given : 0;
  return std::min({kMostOfImage, free / kShareOfImage, left}) / kUnit * kUnit;
}

void HeapPools::init(bool counts) {
  counts_ = counts;
  wanted_ = setting_is_set(SettingId::kHeapSize) ? setting_in(SettingId::kHeapSize, 0, int64_t{1} << 40) : -1;
}

Status HeapPools::give(Device &device, Image &image) {
  OMPTARGET_TRY_ASSIGN(const auto global, image.find_global(kMemoryPoolName));
  if (!global)
    return Status::ok();
  if (global->size != sizeof(DeviceMemoryPool))
    return Status::error(format("the image's %s has %zu bytes; known is one of %zu", kMemoryPoolName, global->size,
                                sizeof(DeviceMemoryPool)));
  OMPTARGET_TRY_ASSIGN(const uint64_t free, device.free_memory());
  uint64_t size = heap_pool_size(wanted_, free, given_);
  uint64_t memory = global->address; // address of no pool: its end, too, so that the first malloc stops the kernel
  if (size != 0) {
    Result<void *> allocated =
        device.memory().allocate(size + (counts_ ? sizeof(DeviceHeapStatistics) : 0), OMPTARGET_ALLOC_DEVICE);
    if (allocated) {
      pools_[&image] = {*allocated, size};
      given_ += size;
      memory = reinterpret_cast<uintptr_t>(*allocated);
    } else if (wanted_ >= 0) {
      return allocated.take_status().during(
          format("for the heap of an image (%s)", setting_row(SettingId::kHeapSize).variable));
    } else {
      OMPTARGET_TRACE_DEVICE(Topic::kImage, device.number(), "no heap: %s", allocated.status().to_string().c_str());
      size = 0;
    }
  }
  if (counts_ && size != 0) {
    const DeviceHeapStatistics statistics{kDeviceHeapStatisticsMark, {0, 0, ~uint64_t{0}, 0}};
    OMPTARGET_TRY(device.submit(memory + size, &statistics, sizeof(statistics), nullptr));
  }
  const DeviceMemoryPool pool{memory, memory + size - global->address};
  OMPTARGET_TRY_ASSIGN([[maybe_unused]] const bool written, image.write_global(kMemoryPoolName, &pool, sizeof(pool)));
  OMPTARGET_TRACE_DEVICE(Topic::kImage, device.number(), "malloc of the image's device code has %llu bytes at %#llx",
                         static_cast<unsigned long long>(size), static_cast<unsigned long long>(memory));
  return Status::ok();
}

Result<std::optional<DeviceMemoryPoolTracker>> HeapPools::statistics(Device &device, const Image &image) const {
  const auto found = pools_.find(&image);
  if (!counts_ || found == pools_.end())
    return std::optional<DeviceMemoryPoolTracker>();
  const Pool &pool = found->second;
  DeviceHeapStatistics statistics{};
  OMPTARGET_TRY(
      device.retrieve(&statistics, reinterpret_cast<uintptr_t>(pool.memory) + pool.size, sizeof(statistics), nullptr));
  if (statistics.counted.count == 0)
    return std::optional<DeviceMemoryPoolTracker>();
  return std::optional(statistics.counted);
}

Status HeapPools::take_back(Device &device, const Image &image) {
  const auto found = pools_.find(&image);
  if (found == pools_.end())
    return Status::ok();
  const Pool pool = found->second;
  pools_.erase(found);
  given_ -= pool.size;
  return device.memory().release(pool.memory);
}

} // namespace omptarget::gpu
