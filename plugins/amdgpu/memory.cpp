// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/memory.h"

#include <algorithm>

#include "amdgpu/device.h"
#include "amdgpu/driver.h"
#include "amdgpu/host_memory.h"
#include "base/log.h"
#include "base/settings.h"

namespace omptarget::amdgpu {

namespace {

constexpr size_t kMostKeptInBlocks = size_t{64} << 20;

hsa_status_t add_pool(hsa_amd_memory_pool_t handle, void *data) {
  static_cast<std::vector<hsa_amd_memory_pool_t> *>(data)->push_back(handle);
  return HSA_STATUS_SUCCESS;
}

} // namespace

Result<std::vector<MemoryPool>> read_pools(hsa_agent_t agent) {
  std::vector<hsa_amd_memory_pool_t> handles;
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_amd_agent_iterate_memory_pools, agent, add_pool, &handles));
  std::vector<MemoryPool> pools;
  for (const hsa_amd_memory_pool_t handle : handles) {
    MemoryPool pool;
    pool.handle = handle;
    OMPTARGET_TRY(OMPTARGET_HSA(hsa_amd_memory_pool_get_info, handle, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &pool.segment));
    OMPTARGET_TRY(OMPTARGET_HSA(hsa_amd_memory_pool_get_info, handle, HSA_AMD_MEMORY_POOL_INFO_SIZE, &pool.size));
    OMPTARGET_TRY(OMPTARGET_HSA(hsa_amd_memory_pool_get_info, handle, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED,
                                &pool.may_allocate));
    if (pool.segment == HSA_AMD_SEGMENT_GLOBAL)
      OMPTARGET_TRY(
          OMPTARGET_HSA(hsa_amd_memory_pool_get_info, handle, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &pool.flags));
    pools.push_back(pool);
  }
  return pools;
}

Result<HostPools> HostPools::choose(hsa_agent_t gpu, std::vector<hsa_agent_t> cpus) {
  hsa_agent_t nearest{0};
  if (OMPTARGET_HSA_RESULT(hsa_agent_get_info, gpu, kAgentInfoNearestCpu, &nearest) == HSA_STATUS_SUCCESS)
    std::ranges::stable_partition(cpus, [nearest](hsa_agent_t cpu) { return cpu.handle == nearest.handle; });
  for (const hsa_agent_t cpu : cpus) {
    HostPools chosen;
    chosen.agent = cpu;
    OMPTARGET_TRY_ASSIGN(const std::vector<MemoryPool> pools, read_pools(cpu));
    for (const MemoryPool &pool : pools) {
      if (pool.segment != HSA_AMD_SEGMENT_GLOBAL || !pool.may_allocate)
        continue;
      if (pool.flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
        chosen.arguments = pool;
      if (pool.flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED &&
          (!chosen.fine || !(pool.flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)))
        chosen.fine = pool;
    }
    if (chosen.fine && chosen.arguments)
      return chosen;
  }
  return Status::error(format("none of the %zu CPUs has memory for kernels' arguments", cpus.size()));
}

Status Memory::init_own() {
  OMPTARGET_TRY(HostMemory::get().add_user(source_.device_.agent()));
  most_block_ = static_cast<size_t>(setting_in(SettingId::kAmdgpuMaxAsyncCopyBytes, 0, int64_t{1} << 32));
  constexpr size_t kLargeArguments = size_t{64} << 10;
  blocks_ = std::make_unique<CachingAllocator>(slabs_, std::max(most_block_, kLargeArguments),
                                               std::max(most_block_, kMostKeptInBlocks));
  return Status::ok();
}

Status Memory::release_own() { return blocks_ ? blocks_->release_all() : Status::ok(); }

Result<void *> Memory::Source::allocate(size_t size) {
  void *memory = nullptr;
  OMPTARGET_TRY_DURING(
      OMPTARGET_HSA(hsa_amd_memory_pool_allocate, device_.properties().device_pool.handle, size, 0, &memory),
      "while allocating %zu bytes", size);
  return memory;
}

Status Memory::Source::release(void *memory) {
  shared.lock()->erase(memory);
  return OMPTARGET_HSA(hsa_amd_memory_pool_free, memory);
}

Result<void *> Memory::BlockSource::allocate(size_t size) {
  return allocate_in(device_.host_pools().arguments, size, {device_.agent()});
}

Status Memory::BlockSource::release(void *memory) { return OMPTARGET_HSA(hsa_amd_memory_pool_free, memory); }

Result<void *> Memory::allocate_shared(size_t size, int32_t) {
  return HostMemory::get().allocate(source_.device_.host_pools().fine, size);
}

Status Memory::release_shared(void *memory, int32_t) { return HostMemory::get().release(memory); }

Result<void *> Memory::Pinner::pin(void *host, size_t size, bool &) {
  return HostMemory::get().pinned().lock(host, size);
}

Status Memory::Pinner::unpin(void *host) { return HostMemory::get().pinned().unlock(host); }

PinnedView Memory::Pinner::find_pinned(void *host, size_t size) {
  return HostMemory::get().pinned().lock_if_pinned(host, size);
}

bool Memory::is_pinned(void *host, size_t size) {
  const PinnedView view = lock_if_pinned(host, size);
  if (view.is_counted)
    unlock_range(host).consume();
  return view.device || view.is_unsteady;
}

// Access is given to whole allocations.
Status Memory::share(const void *memory, hsa_agent_t agent) {
  hsa_amd_pointer_info_t info{};
  info.size = sizeof(info);
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_amd_pointer_info, memory, &info, nullptr, nullptr, nullptr));
  if (info.type != HSA_EXT_POINTER_TYPE_HSA)
    return Status::error(format("%p is no memory of a device", memory));
  // The driver gets all of them each time.
  auto shared = source_.shared.lock();
  std::vector<hsa_agent_t> agents = (*shared)[info.agentBaseAddress];
  const auto is_agent = [agent](hsa_agent_t one) { return one.handle == agent.handle; };
  if (std::any_of(agents.begin(), agents.end(), is_agent))
    return Status::ok();
  agents.push_back(agent);
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_amd_agents_allow_access, static_cast<uint32_t>(agents.size()), agents.data(), nullptr,
                              info.agentBaseAddress));
  (*shared)[info.agentBaseAddress] = std::move(agents);
  return Status::ok();
}

} // namespace omptarget::amdgpu
