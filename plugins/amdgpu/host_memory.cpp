// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/host_memory.h"

#include <algorithm>

#include "amdgpu/device.h"
#include "amdgpu/driver.h"
#include "amdgpu/memory.h"
#include "base/log.h"

namespace omptarget::amdgpu {

namespace {

// Where devices reach this host memory, if the driver has all of it pinned; null otherwise. type: of the memory.
void *pinned_view(const void *host, size_t size, uint32_t &type) {
  hsa_amd_pointer_info_t info{};
  info.size = sizeof(info);
  type = HSA_EXT_POINTER_TYPE_UNKNOWN;
  if (OMPTARGET_HSA_RESULT(hsa_amd_pointer_info, host, &info, nullptr, nullptr, nullptr) != HSA_STATUS_SUCCESS ||
      info.type == HSA_EXT_POINTER_TYPE_UNKNOWN || !info.hostBaseAddress)
    return nullptr;
  type = info.type;
  const uintptr_t offset = reinterpret_cast<uintptr_t>(host) - reinterpret_cast<uintptr_t>(info.hostBaseAddress);
  if (offset > info.sizeInBytes || size > info.sizeInBytes - offset)
    return nullptr;
  return static_cast<char *>(info.agentBaseAddress) + offset;
}

Status let_at(void *memory, const std::vector<hsa_agent_t> &agents) {
  return OMPTARGET_HSA(hsa_amd_agents_allow_access, static_cast<uint32_t>(agents.size()), agents.data(), nullptr,
                       memory);
}

} // namespace

Result<void *> allocate_in(const std::optional<MemoryPool> &pool, size_t size, const std::vector<hsa_agent_t> &agents) {
  if (!pool)
    return Status::error("the host has no pool of memory that devices reach");
  void *memory = nullptr;
  OMPTARGET_TRY_DURING(OMPTARGET_HSA(hsa_amd_memory_pool_allocate, pool->handle, size, 0, &memory),
                       "while allocating %zu bytes of pinned host memory", size);
  if (Status status = let_at(memory, agents); !status) {
    OMPTARGET_HSA(hsa_amd_memory_pool_free, memory).consume();
    return std::move(status).during(format("while letting devices reach %zu bytes of host memory", size));
  }
  return memory;
}

HostMemory &HostMemory::get() {
  static HostMemory &memory = *new HostMemory;
  return memory;
}

std::vector<hsa_agent_t> HostMemory::users() {
  const std::lock_guard lock(mutex_);
  return users_;
}

Status HostMemory::add_user(hsa_agent_t agent) {
  const std::lock_guard lock(mutex_);
  const auto is_agent = [agent](hsa_agent_t one) { return one.handle == agent.handle; };
  if (std::any_of(users_.begin(), users_.end(), is_agent))
    return Status::ok();
  std::vector<hsa_agent_t> users = users_;
  users.push_back(agent);
  for (void *block : blocks_)
    OMPTARGET_TRY_DURING(let_at(block, users), "while letting one more device reach host memory");
  users_ = std::move(users);
  return Status::ok();
}

Result<void *> HostMemory::allocate(const std::optional<MemoryPool> &pool, size_t size) {
  const std::lock_guard lock(mutex_);
  OMPTARGET_TRY_ASSIGN(void *const memory, allocate_in(pool, size, users_));
  blocks_.insert(memory);
  return memory;
}

Status HostMemory::release(void *memory) {
  const std::lock_guard lock(mutex_);
  blocks_.erase(memory);
  return OMPTARGET_HSA(hsa_amd_memory_pool_free, memory);
}

Result<void *> HostMemory::Pinner::pin(void *host, size_t size, bool &is_foreign) {
  uint32_t type = 0;
  void *view = pinned_view(host, size, type);
  is_foreign = view != nullptr;
  if (is_foreign)
    return view;
  return pin_again(host, size);
}

Result<void *> HostMemory::Pinner::pin_again(void *host, size_t size) {
  std::vector<hsa_agent_t> agents = memory_.users();
  void *view = nullptr;
  OMPTARGET_TRY_DURING(
      OMPTARGET_HSA(hsa_amd_memory_lock, host, size, agents.data(), static_cast<int>(agents.size()), &view),
      "while pinning %zu bytes at %p", size, host);
  return view;
}

Status HostMemory::Pinner::unpin(void *host) { return OMPTARGET_HSA(hsa_amd_memory_unlock, host); }

PinnedView HostMemory::Pinner::find_pinned(void *host, size_t size) {
  uint32_t type = 0;
  void *const view = pinned_view(host, size, type);
  if (type == HSA_EXT_POINTER_TYPE_LOCKED)
    return {nullptr, false, true};
  return {view, false};
}

} // namespace omptarget::amdgpu
