// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/memory.h"

#include "base/settings.h"

namespace omptarget::gpu {

Status Memory::init() {
  const auto size_setting = [](SettingId id) { return static_cast<size_t>(setting_in(id, 0, INT64_MAX)); };
  allocator_ = std::make_unique<CachingAllocator>(source_, size_setting(SettingId::kMemoryManagerThreshold),
                                                  size_setting(SettingId::kMemoryManagerLimit));
  mapped_.init();
  return init_own();
}

Result<void *> Memory::allocate(size_t size, int32_t kind) {
  if (size == 0)
    return Status::error("cannot allocate 0 bytes");
  if (kind == OMPTARGET_ALLOC_DEVICE || kind == OMPTARGET_ALLOC_DEFAULT)
    return allocator_->allocate(size);
  if (kind != OMPTARGET_ALLOC_HOST && kind != OMPTARGET_ALLOC_SHARED)
    return Status::error(format("%d is no kind of memory (0 device, 1 host, 2 shared, 3 default)", kind));
  OMPTARGET_TRY_ASSIGN(void *memory, allocate_shared(size, kind));
  (*shared_.lock())[memory] = kind;
  shared_count_.fetch_add(1, std::memory_order_release);
  return memory;
}

Status Memory::release(void *memory) {
  if (!memory)
    return Status::ok();
  if (shared_count_.load(std::memory_order_acquire) != 0) {
    int32_t kind = OMPTARGET_ALLOC_DEVICE;
    {
      auto shared = shared_.lock();
      if (const auto found = shared->find(memory); found != shared->end()) {
        kind = found->second;
        shared->erase(found);
        shared_count_.fetch_sub(1, std::memory_order_relaxed);
      }
    }
    if (kind != OMPTARGET_ALLOC_DEVICE)
      return release_shared(memory, kind);
  }
  return allocator_->release(memory);
}

void *Memory::try_allocate(size_t size, int32_t kind) {
  const bool is_device = kind == OMPTARGET_ALLOC_DEVICE || kind == OMPTARGET_ALLOC_DEFAULT;
  return is_device && size != 0 ? allocator_->try_allocate(size) : nullptr;
}

bool Memory::try_release(void *memory) {
  if (!memory)
    return true;
  if (shared_count_.load(std::memory_order_acquire) != 0 && is_shared(memory))
    return false;
  return allocator_->try_release(memory);
}

Result<uint64_t> Memory::allocate_device(size_t size) {
  OMPTARGET_TRY_ASSIGN(void *memory, allocator_->allocate(size));
  return reinterpret_cast<uintptr_t>(memory);
}

Status Memory::release_device(uint64_t memory) { return allocator_->release(reinterpret_cast<void *>(memory)); }

bool Memory::is_shared(void *memory) { return shared_.lock()->count(memory) != 0; }

// What host and device share is pinned already.
Result<void *> Memory::lock(void *host, size_t size) {
  if (is_shared(host))
    return host;
  return locked_.lock(host, size);
}

Status Memory::unlock(void *host) { return is_shared(host) ? Status::ok() : locked_.unlock(host); }

Status Memory::release_all() {
  Status status = locked_.unlock_all();
  std::unordered_map<void *, int32_t> shared;
  shared.swap(*shared_.lock());
  shared_count_.store(0, std::memory_order_relaxed);
  for (const auto &[memory, kind] : shared)
    status.keep_first(release_shared(memory, kind));
  if (allocator_)
    status.keep_first(allocator_->release_all());
  status.keep_first(release_own());
  return status;
}

} // namespace omptarget::gpu
