// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/memory.h"

#include <algorithm>

namespace omptarget::gpu {

Status Memory::init(uint64_t free) {
  constexpr size_t kMostOfHost = size_t{256} << 20;
  const auto [threshold, limit, idle_ns] = read_kept_memory_settings(free);
  allocators_[OMPTARGET_ALLOC_DEVICE] = std::make_unique<CachingAllocator>(source_, threshold, limit);
  for (const auto &[kind, source] :
       {std::pair{OMPTARGET_ALLOC_HOST, &host_}, std::pair{OMPTARGET_ALLOC_SHARED, &shared_}})
    allocators_[kind] = std::make_unique<CachingAllocator>(*source, threshold, std::min(limit, kMostOfHost));
  for (const auto &allocator : allocators_)
    allocator->give_back_after(idle_ns);
  mapped_.init();
  return init_own();
}

// The allocator of a kind, 0 to 2; -1: there is no such kind.
int Memory::index_of(int32_t kind) {
  if (kind == OMPTARGET_ALLOC_DEFAULT)
    return OMPTARGET_ALLOC_DEVICE;
  return kind >= 0 && kind < kKinds ? kind : -1;
}

void Memory::note(void *memory, int index) {
  if (index == OMPTARGET_ALLOC_DEVICE || !memory)
    return;
  (*others_.lock())[memory] = index;
  others_count_.fetch_add(1, std::memory_order_release);
}

int Memory::index_of(const void *memory) {
  if (others_count_.load(std::memory_order_acquire) == 0)
    return OMPTARGET_ALLOC_DEVICE;
  auto others = others_.lock();
  const auto found = others->find(memory);
  return found == others->end() ? OMPTARGET_ALLOC_DEVICE : found->second;
}

void Memory::forget(const void *memory, int index) {
  if (index == OMPTARGET_ALLOC_DEVICE)
    return;
  others_.lock()->erase(memory);
  others_count_.fetch_sub(1, std::memory_order_relaxed);
}

Result<void *> Memory::allocate(size_t size, int32_t kind) {
  if (size == 0)
    return Status::error("cannot allocate 0 bytes");
  const int index = index_of(kind);
  if (index < 0)
    return Status::error(format("%d is no kind of memory (0 device, 1 host, 2 shared, 3 default)", kind));
  Result<void *> memory = allocators_[index]->allocate(size);
  if (!memory && keeps_others(index)) {
    for (const auto &allocator : allocators_)
      OMPTARGET_TRY(allocator->trim());
    memory = allocators_[index]->allocate(size);
  }
  if (memory)
    note(*memory, index);
  return memory;
}

bool Memory::keeps_others(int index) {
  for (int other = 0; other < kKinds; ++other)
    if (other != index && allocators_[other]->statistics().kept_bytes != 0)
      return true;
  return false;
}

// Forgotten first: once it is free another thread may get it.
Status Memory::release(void *memory) {
  if (!memory)
    return Status::ok();
  const int index = index_of(memory);
  forget(memory, index);
  return allocators_[index]->release(memory);
}

void *Memory::try_allocate(size_t size, int32_t kind) {
  const int index = index_of(kind);
  void *memory = index >= 0 && size != 0 ? allocators_[index]->try_allocate(size) : nullptr;
  note(memory, index);
  return memory;
}

bool Memory::try_release(void *memory) {
  if (!memory)
    return true;
  const int index = index_of(memory);
  forget(memory, index);
  if (allocators_[index]->try_release(memory))
    return true;
  note(memory, index);
  return false;
}

Result<uint64_t> Memory::allocate_device(size_t size) {
  OMPTARGET_TRY_ASSIGN(void *memory, allocators_[OMPTARGET_ALLOC_DEVICE]->allocate(size));
  return reinterpret_cast<uintptr_t>(memory);
}

Status Memory::release_device(uint64_t memory) {
  return allocators_[OMPTARGET_ALLOC_DEVICE]->release(reinterpret_cast<void *>(memory));
}

// Memory that host and device share is pinned already.
Result<void *> Memory::lock(void *host, size_t size) {
  if (index_of(host) != OMPTARGET_ALLOC_DEVICE)
    return host;
  return locked_.lock(host, size);
}

Status Memory::unlock(void *host) {
  return index_of(host) != OMPTARGET_ALLOC_DEVICE ? Status::ok() : locked_.unlock(host);
}

Status Memory::trim() {
  Status status = trim_own();
  for (const auto &allocator : allocators_)
    status.keep_first(allocator->trim());
  return status;
}

Status Memory::release_all() {
  Status status = locked_.unlock_all();
  others_.lock()->clear();
  others_count_.store(0, std::memory_order_relaxed);
  for (const auto &allocator : allocators_)
    if (allocator)
      status.keep_first(allocator->release_all());
  status.keep_first(release_own());
  return status;
}

} // namespace omptarget::gpu
