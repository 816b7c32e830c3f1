// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory pools, pinned host memory, copies.

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "emulator/execute/unwritten.h"
#include "emulator/fill_pattern.h"
#include "emulator/ipc_memory.h"
#include "execute.h"
#include "state.h"

using namespace emulator;

namespace {

constexpr size_t kPage = 4096, kGranule = 256;

struct CopyWork {
  void *destination;
  const void *source;
  size_t size;
  Agent *agents[2];
  std::vector<StandInSignal *> dependencies;
  StandInSignal *completion;
  Ranges ranges = Ranges::of_thread();
};

void carry_out(const CopyWork &copy, uint64_t number) {
  wait_until_released(number);
  for (StandInSignal *dependency : copy.dependencies)
    for (const Agent *agent : copy.agents)
      if (agent->is_gpu && !wait_less(*dependency, 1, *agent))
        return;
  OperationTime time(copy.completion, state().copies_keep_times);
  bool may = true;
  for (Agent *agent : copy.agents)
    if (agent->is_gpu)
      may = may && check_access("copy", agent, copy.destination, copy.size) &&
            check_access("copy", agent, copy.source, copy.size);
  if (may)
    copy_memory({copy.destination, copy.source, copy.size,
                 !copy.agents[0]->is_gpu   ? CopyKind::kToHost
                 : !copy.agents[1]->is_gpu ? CopyKind::kToDevice
                                           : CopyKind::kWithinDevices,
                 copy.ranges});
  time.end();
  complete(*copy.completion);
}

hsa_status_t start_copy(const char *call, CopyWork copy, const hsa_agent_t *agents, const hsa_signal_t *dependencies,
                        uint32_t count) {
  Agent *engine = nullptr;
  for (int i = 0; i < 2; ++i) {
    copy.agents[i] = find_agent(call, agents[i]);
    if (!copy.agents[i])
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (copy.agents[i]->is_gpu && !engine)
      engine = copy.agents[i];
  }
  for (uint32_t i = 0; i < count; ++i) {
    StandInSignal *dependency = find_signal(call, dependencies[i]);
    if (!dependency)
      return HSA_STATUS_ERROR_INVALID_SIGNAL;
    copy.dependencies.push_back(dependency);
  }
  if (!engine || copy.size == 0 || !copy.completion || copy.completion->value.load() != 1) {
    violation("%s: %zu bytes, %s GPU, completion signal %s", call, copy.size, engine ? "a" : "no",
              copy.completion ? "not 1" : "missing");
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  const uint64_t number = next_work_number();
  // Each is a chain of its own: copies wait for signals only.
  const auto operation =
      queue_operation(copy.completion, copy.completion->number + 1, copy.dependencies, copy.completion);
  engine->copies.add([copy, number, operation] { run_operation(operation, [&] { carry_out(copy, number); }); });
  return HSA_STATUS_SUCCESS;
}

/// Returns whether memory of this kind begins there; then it is known no more, or locked once less. The lock is held.
bool forget_memory(const void *begin, MemoryKind kind) {
  const auto found = state().memory.find(reinterpret_cast<uintptr_t>(begin));
  if (found == state().memory.end() || found->second.kind != kind)
    return false;
  if (found->second.locks > 1)
    --found->second.locks;
  else
    state().memory.erase(found);
  ++state().memory_generation;
  return true;
}

} // namespace

STAND_IN_API hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t handle, size_t size, uint32_t flags,
                                                       void **memory) {
  STAND_IN_ENTER(hsa_amd_memory_pool_allocate);
  Pool *pool = reinterpret_cast<Pool *>(handle.handle);
  if (size == 0 || flags != 0 || pool->kind == PoolKind::kGroup) {
    violation("hsa_amd_memory_pool_allocate: %zu bytes, flags %u", size, flags);
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  if (pool->agent->cpu == 2)
    emulator::count("memory of the second CPU");
  if (size > size_t{1} << 30)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  void *bytes = nullptr;
  if (pool->agent->is_gpu && IpcMemory::is_on())
    bytes = ipc_memory().allocate(size);
  else if (posix_memalign(&bytes, kPage, (size + kGranule - 1) / kGranule * kGranule) != 0)
    bytes = nullptr;
  if (!bytes)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  emulator::fill_with_garbage(bytes, size);
  // The host writes its own memory, which nobody follows.
  if (pool->agent->is_gpu)
    executor::UnwrittenMemory::note_fresh(bytes, size);
  const std::lock_guard lock(state().mutex);
  Allocation allocation{size, MemoryKind::kPool, pool, {}, 0, nullptr};
  state().memory[reinterpret_cast<uintptr_t>(bytes)] = allocation;
  ++state().memory_generation;
  *memory = bytes;
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_amd_memory_pool_free(void *memory) {
  STAND_IN_ENTER(hsa_amd_memory_pool_free);
  const std::lock_guard lock(state().mutex);
  const auto known = state().memory.find(reinterpret_cast<uintptr_t>(memory));
  if (known != state().memory.end())
    executor::UnwrittenMemory::note_forgotten(memory, known->second.size);
  if (!forget_memory(memory, MemoryKind::kPool)) {
    violation("hsa_amd_memory_pool_free: %p is no memory of a pool", memory);
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  if (!ipc_memory().release(memory))
    std::free(memory);
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_amd_agents_allow_access(uint32_t count, const hsa_agent_t *agents, const uint32_t *flags,
                                                      const void *memory) {
  STAND_IN_ENTER(hsa_amd_agents_allow_access);
  std::set<Agent *> access;
  for (uint32_t i = 0; i < count; ++i) {
    Agent *agent = find_agent("hsa_amd_agents_allow_access", agents[i]);
    if (!agent)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    access.insert(agent);
    emulator::count("agent with access");
  }
  const std::lock_guard lock(state().mutex);
  const auto found = state().memory.find(reinterpret_cast<uintptr_t>(memory));
  if (count == 0 || flags || found == state().memory.end() || found->second.kind != MemoryKind::kPool) {
    violation("hsa_amd_agents_allow_access: %u agents, %p is %s", count, memory,
              found == state().memory.end() ? "no allocation" : "an allocation");
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  for (const Agent *agent : access)
    if (!can_reach(*agent, *found->second.pool)) {
      violation("hsa_amd_agents_allow_access: a device that cannot reach %p", memory);
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  found->second.access = std::move(access);
  ++state().memory_generation;
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_amd_memory_lock(void *host, size_t size, hsa_agent_t *agents, int count, void **view) {
  STAND_IN_ENTER(hsa_amd_memory_lock);
  std::set<Agent *> access;
  for (int i = 0; i < count; ++i)
    if (Agent *agent = find_agent("hsa_amd_memory_lock", agents[i])) {
      access.insert(agent);
      emulator::count("agent pinned for");
    }
  const std::lock_guard lock(state().mutex);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(host);
  const auto next = state().memory.lower_bound(begin);
  // The same range may be locked again, for the same agents and others.
  if (next != state().memory.end() && next->first == begin && next->second.kind == MemoryKind::kLocked &&
      next->second.size == size && std::ranges::includes(access, next->second.access)) {
    next->second.access = access;
    ++next->second.locks;
    ++state().memory_generation;
    *view = host;
    return HSA_STATUS_SUCCESS;
  }
  const bool overlaps = find_memory(begin, 1) || (next != state().memory.end() && next->first < begin + size);
  if (!host || size == 0 || overlaps) {
    violation("hsa_amd_memory_lock: %zu bytes at %p%s", size, host, overlaps ? " are known already" : "");
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  state().memory[begin] = Allocation{size, MemoryKind::kLocked, nullptr, access, 1, nullptr};
  ++state().memory_generation;
  *view = host;
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_amd_memory_unlock(void *host) {
  STAND_IN_ENTER(hsa_amd_memory_unlock);
  const std::lock_guard lock(state().mutex);
  if (!forget_memory(host, MemoryKind::kLocked)) {
    violation("hsa_amd_memory_unlock: %p is not locked", host);
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_amd_pointer_info(const void *pointer, hsa_amd_pointer_info_t *info, void *(*)(size_t),
                                               uint32_t *, hsa_agent_t **) {
  STAND_IN_ENTER(hsa_amd_pointer_info);
  const std::lock_guard lock(state().mutex);
  if (info->size < offsetof(hsa_amd_pointer_info_t, agentOwner)) {
    violation("hsa_amd_pointer_info: a record of %u bytes", info->size);
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  uintptr_t begin = 0;
  const Allocation *found = find_memory(reinterpret_cast<uintptr_t>(pointer), 1, &begin);
  if (!found || found->kind == MemoryKind::kGlobal) {
    info->type = HSA_EXT_POINTER_TYPE_UNKNOWN;
    return HSA_STATUS_SUCCESS;
  }
  info->type = found->kind == MemoryKind::kLocked ? HSA_EXT_POINTER_TYPE_LOCKED : HSA_EXT_POINTER_TYPE_HSA;
  info->agentBaseAddress = reinterpret_cast<void *>(begin);
  // The host reaches no memory of a device.
  const bool is_device = found->pool && found->pool->agent->is_gpu;
  info->hostBaseAddress = is_device ? nullptr : reinterpret_cast<void *>(begin);
  info->sizeInBytes = found->size;
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_amd_memory_async_copy(void *destination, hsa_agent_t destination_agent,
                                                    const void *source, hsa_agent_t source_agent, size_t size,
                                                    uint32_t count, const hsa_signal_t *dependencies,
                                                    hsa_signal_t completion) {
  STAND_IN_ENTER(hsa_amd_memory_async_copy);
  const hsa_agent_t agents[] = {destination_agent, source_agent};
  return start_copy("hsa_amd_memory_async_copy",
                    {destination, source, size, {}, {}, find_signal("hsa_amd_memory_async_copy", completion)}, agents,
                    dependencies, count);
}

STAND_IN_API hsa_status_t hsa_amd_memory_async_copy_on_engine(void *destination, hsa_agent_t destination_agent,
                                                              const void *source, hsa_agent_t source_agent, size_t size,
                                                              uint32_t count, const hsa_signal_t *dependencies,
                                                              hsa_signal_t completion, int engine, bool) {
  STAND_IN_ENTER(hsa_amd_memory_async_copy_on_engine);
  if (engine != kSdmaEngine0 && engine != kSdmaEngine1)
    violation("hsa_amd_memory_async_copy_on_engine: engine %d", engine);
  emulator::count(engine == kSdmaEngine0 ? "engine 0" : "engine 1");
  const hsa_agent_t agents[] = {destination_agent, source_agent};
  return start_copy("hsa_amd_memory_async_copy_on_engine",
                    {destination, source, size, {}, {}, find_signal("hsa_amd_memory_async_copy_on_engine", completion)},
                    agents, dependencies, count);
}

STAND_IN_API hsa_status_t hsa_amd_memory_fill(void *memory, uint32_t value, size_t count) {
  STAND_IN_ENTER(hsa_amd_memory_fill);
  const std::lock_guard lock(state().mutex);
  if (reinterpret_cast<uintptr_t>(memory) % sizeof(value) != 0 ||
      !find_memory(reinterpret_cast<uintptr_t>(memory), count * sizeof(value))) {
    violation("hsa_amd_memory_fill: %zu words at %p", count, memory);
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  for (size_t i = 0; i < count; ++i)
    static_cast<uint32_t *>(memory)[i] = value;
  executor::UnwrittenMemory::note_forgotten(memory, count * sizeof(value));
  return HSA_STATUS_SUCCESS;
}

// ---- Between processes

// A handle is 32 bytes.
STAND_IN_API hsa_status_t hsa_amd_ipc_memory_create(void *memory, size_t size, void *handle) {
  STAND_IN_ENTER(hsa_amd_ipc_memory_create);
  IpcHandle own;
  if (!ipc_memory().name(memory, own) || own.size != size)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::memcpy(handle, &own, sizeof(own));
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_amd_ipc_memory_attach(const void *handle, size_t size, uint32_t count,
                                                    const hsa_agent_t *agents, void **out) {
  STAND_IN_ENTER(hsa_amd_ipc_memory_attach);
  IpcHandle other;
  std::memcpy(&other, handle, sizeof(other));
  std::set<Agent *> access;
  for (uint32_t i = 0; i < count; ++i)
    if (Agent *agent = find_agent("hsa_amd_ipc_memory_attach", agents[i]))
      access.insert(agent);
  void *memory = other.size == size ? ipc_memory().open(other) : nullptr;
  if (!memory)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const std::lock_guard lock(state().mutex);
  state().memory[reinterpret_cast<uintptr_t>(memory)] =
      Allocation{size, MemoryKind::kImported, nullptr, access, 0, nullptr};
  ++state().memory_generation;
  *out = memory;
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_amd_ipc_memory_detach(void *memory) {
  STAND_IN_ENTER(hsa_amd_ipc_memory_detach);
  const std::lock_guard lock(state().mutex);
  const auto found = state().memory.find(reinterpret_cast<uintptr_t>(memory));
  if (found == state().memory.end() || found->second.kind != MemoryKind::kImported) {
    violation("hsa_amd_ipc_memory_detach: %p is of no other process", memory);
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  state().memory.erase(found);
  ++state().memory_generation;
  ipc_memory().release(memory);
  return HSA_STATUS_SUCCESS;
}
