// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/memory.h"

#include <cstring>
#include <limits>

#include "base/log.h"
#include "base/settings.h"
#include "cuda/device.h"
#include "cuda/driver.h"

namespace omptarget::cuda {

namespace {

size_t size_setting(SettingId id) {
  const int64_t value = setting_integer(id);
  if (value >= 0)
    return static_cast<size_t>(value);
  warn_about_setting(id, format("%lld is less than 0; 0 is used", static_cast<long long>(value)));
  return 0;
}

CUdeviceptr device_address(const void *memory) { return reinterpret_cast<uintptr_t>(memory); }

} // namespace

Status Memory::init(const DeviceProperties &properties) {
  allocator_ = std::make_unique<CachingAllocator>(source_, size_setting(SettingId::kMemoryManagerThreshold),
                                                  size_setting(SettingId::kMemoryManagerLimit));
  mapped_.init();
  if (!setting_flag(SettingId::kStreamOrderedAllocation))
    return Status::ok();
  if (!properties.has_memory_pools || !driver().cuMemPoolCreate || !driver().cuMemPoolDestroy ||
      !driver().cuMemPoolSetAttribute || !driver().cuMemAllocFromPoolAsync || !driver().cuMemFreeAsync) {
    warn_about_setting(SettingId::kStreamOrderedAllocation, "the driver or the device has no memory pools; ignored");
    return Status::ok();
  }
  return create_pool(properties);
}

Status Memory::create_pool(const DeviceProperties &properties) {
  CUmemPoolProps wanted;
  std::memset(&wanted, 0, sizeof(wanted));
  wanted.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.locationType = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.locationId = properties.handle;
  OMPTARGET_TRY(OMPTARGET_CU(cuStreamCreate, &pool_stream_, CU_STREAM_NON_BLOCKING));
  OMPTARGET_TRY(OMPTARGET_CU(cuMemPoolCreate, &pool_, &wanted));
  uint64_t threshold = size_setting(SettingId::kMemoryManagerLimit);
  return OMPTARGET_CU(cuMemPoolSetAttribute, pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
}

Result<void *> Memory::Source::allocate(size_t size) {
  CUdeviceptr memory = 0;
  if (!owner_.pool_) {
    OMPTARGET_TRY_DURING(OMPTARGET_CU(cuMemAlloc, &memory, size), "while allocating %zu bytes", size);
    return reinterpret_cast<void *>(memory);
  }
  OMPTARGET_TRY_DURING(OMPTARGET_CU(cuMemAllocFromPoolAsync, &memory, size, owner_.pool_, owner_.pool_stream_),
                       "while allocating %zu bytes", size);
  // The stream is empty but for allocations, which take effect on the host: this makes the memory usable on any stream.
  if (Status status = OMPTARGET_CU(cuStreamSynchronize, owner_.pool_stream_); !status) {
    release(reinterpret_cast<void *>(memory)).consume();
    return status;
  }
  return reinterpret_cast<void *>(memory);
}

Status Memory::Source::release(void *memory) {
  if (owner_.pool_)
    return OMPTARGET_CU(cuMemFreeAsync, device_address(memory), owner_.pool_stream_);
  return OMPTARGET_CU(cuMemFree, device_address(memory));
}

Result<void *> Memory::allocate(size_t size, int32_t kind) {
  if (size == 0)
    return Status::error("cannot allocate 0 bytes");
  void *memory = nullptr;
  switch (kind) {
  case OMPTARGET_ALLOC_DEVICE:
  case OMPTARGET_ALLOC_DEFAULT:
    return allocator_->allocate(size);
  case OMPTARGET_ALLOC_HOST:
    OMPTARGET_TRY_DURING(
        OMPTARGET_CU(cuMemHostAlloc, &memory, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
        "while allocating %zu bytes of pinned host memory", size);
    break;
  case OMPTARGET_ALLOC_SHARED: {
    CUdeviceptr managed = 0;
    OMPTARGET_TRY_DURING(OMPTARGET_CU(cuMemAllocManaged, &managed, size, CU_MEM_ATTACH_GLOBAL),
                         "while allocating %zu bytes of managed memory", size);
    memory = reinterpret_cast<void *>(managed);
    break;
  }
  default:
    return Status::error(format("%d is no kind of memory (0 device, 1 host, 2 shared, 3 default)", kind));
  }
  (*others_.lock())[memory] = kind;
  others_count_.fetch_add(1, std::memory_order_release);
  return memory;
}

Status Memory::release(void *memory) {
  if (!memory)
    return Status::ok();
  if (others_count_.load(std::memory_order_acquire) != 0) {
    int32_t kind = OMPTARGET_ALLOC_DEVICE;
    {
      auto others = others_.lock();
      if (const auto found = others->find(memory); found != others->end()) {
        kind = found->second;
        others->erase(found);
        others_count_.fetch_sub(1, std::memory_order_relaxed);
      }
    }
    if (kind == OMPTARGET_ALLOC_HOST)
      return OMPTARGET_CU(cuMemFreeHost, memory);
    if (kind == OMPTARGET_ALLOC_SHARED)
      return OMPTARGET_CU(cuMemFree, device_address(memory));
  }
  return allocator_->release(memory);
}

Result<CUdeviceptr> Memory::allocate_device(size_t size) {
  OMPTARGET_TRY_ASSIGN(void *memory, allocator_->allocate(size));
  return device_address(memory);
}

Status Memory::release_device(CUdeviceptr memory) { return allocator_->release(reinterpret_cast<void *>(memory)); }

Result<void *> Memory::Pinner::pin(void *host, size_t size, bool &is_foreign) {
  const CUresult result = OMPTARGET_CU_RESULT(
      cuMemHostRegister, host, size, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
  is_foreign = result == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  if (!is_foreign)
    OMPTARGET_TRY_DURING(check_call("cuMemHostRegister", result), "while pinning %zu bytes at %p", size, host);
  CUdeviceptr device = 0;
  Status status = OMPTARGET_CU(cuMemHostGetDevicePointer, &device, host, 0);
  if (!status && !is_foreign)
    OMPTARGET_CU(cuMemHostUnregister, host).consume();
  OMPTARGET_TRY_DURING(std::move(status), "while pinning %zu bytes at %p", size, host);
  return reinterpret_cast<void *>(device);
}

Status Memory::Pinner::unpin(void *host) { return OMPTARGET_CU(cuMemHostUnregister, host); }

// Memory of cuMemHostAlloc is pinned already.
bool Memory::is_host_allocation(void *host) { return others_.lock()->count(host) != 0; }

Result<void *> Memory::lock(void *host, size_t size) {
  if (is_host_allocation(host))
    return host;
  return locked_.lock(host, size);
}

Status Memory::unlock(void *host) { return is_host_allocation(host) ? Status::ok() : locked_.unlock(host); }

bool Memory::is_pinned(const void *host) {
  unsigned type = 0;
  // Of pageable memory it knows nothing; where devices reach that, it may say so by a type of 0.
  return OMPTARGET_CU_RESULT(cuPointerGetAttribute, &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device_address(host)) ==
             CUDA_SUCCESS &&
         type != 0;
}

Status Memory::release_all() {
  Status status = locked_.unlock_all();
  const auto keep_first = [&status](Status one) {
    if (!one && status)
      status = std::move(one);
  };
  std::unordered_map<void *, int32_t> others;
  others.swap(*others_.lock());
  others_count_.store(0, std::memory_order_relaxed);
  for (const auto &[memory, kind] : others)
    keep_first(kind == OMPTARGET_ALLOC_HOST ? OMPTARGET_CU(cuMemFreeHost, memory)
                                            : OMPTARGET_CU(cuMemFree, device_address(memory)));
  if (allocator_)
    keep_first(allocator_->release_all());
  if (pool_) {
    keep_first(OMPTARGET_CU(cuStreamSynchronize, pool_stream_));
    keep_first(OMPTARGET_CU(cuMemPoolDestroy, pool_));
    pool_ = nullptr;
  }
  if (pool_stream_)
    keep_first(OMPTARGET_CU(cuStreamDestroy, pool_stream_));
  pool_stream_ = nullptr;
  return status;
}

} // namespace omptarget::cuda
