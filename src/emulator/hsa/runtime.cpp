// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime itself, agents and instruction sets.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "emulator/visible.h"
#include "state.h"

using namespace emulator;

namespace {

constexpr size_t kDeviceMemory = size_t{1} << 30;
constexpr size_t kGroupMemory = 65536;

std::unique_ptr<Agent> make_agent(const std::string &target) {
  auto agent = std::make_unique<Agent>();
  agent->is_gpu = !target.empty();
  agent->target = target;
  const std::vector<PoolKind> gpu_kinds = {PoolKind::kCoarseDevice, PoolKind::kFineDevice, PoolKind::kGroup};
  const std::vector<PoolKind> cpu_kinds = {PoolKind::kFineHost, PoolKind::kCoarseHost};
  for (const PoolKind kind : agent->is_gpu ? gpu_kinds : cpu_kinds)
    agent->pools.push_back(std::make_unique<Pool>(Pool{agent.get(), kind}));
  return agent;
}

template <typename T> hsa_status_t put(void *value, T what) {
  std::memcpy(value, &what, sizeof(what));
  return HSA_STATUS_SUCCESS;
}

bool is_set(const char *variable) {
  const char *value = std::getenv(variable);
  return value && *value == '1';
}

// Partitions share what the GPU is distinguished by.
std::string name_of(const Agent &agent) {
  char name[32];
  std::snprintf(name, sizeof(name), "GPU-%016x", agent.gpu);
  return name;
}

// SIM_HSA_PARTITIONS=N: each GPU is N agents, which share its bus and device and have its units divided among them
// (CPX).
uint32_t partitions() {
  const char *text = std::getenv("SIM_HSA_PARTITIONS");
  return text ? static_cast<uint32_t>(std::atoi(text)) : 1;
}

uint32_t number_of_cpus() {
  const char *text = std::getenv("SIM_HSA_CPUS");
  return text ? static_cast<uint32_t>(std::atoi(text)) : 1;
}

// The runtime tells it of all GPUs together.
bool all_reach_host_memory() {
  return std::ranges::all_of(state().agents,
                             [](const auto &agent) { return !agent->is_gpu || reaches_host_memory(*agent); });
}

hsa_agent_t handle_of(const Agent &agent) { return {reinterpret_cast<uintptr_t>(&agent)}; }

} // namespace

STAND_IN_API hsa_status_t hsa_init() {
  STAND_IN_ENTER(hsa_init);
  const std::lock_guard lock(state().mutex);
  if (state().is_initialised)
    return HSA_STATUS_SUCCESS;
  const char *text = std::getenv("SIM_HSA_DEVICES");
  const std::string devices = text ? text : "gfx90a:sramecc+:xnack-";
  if (devices.empty())
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES; // as the runtime says without a GPU
  std::vector<std::shared_ptr<Agent>> gpus;
  uint32_t gpu = 0;
  for (size_t begin = 0; begin < devices.size();) {
    const size_t end = std::min(devices.find(',', begin), devices.size());
    ++gpu;
    for (uint32_t partition = 0; partition < partitions(); ++partition) {
      gpus.push_back(make_agent(devices.substr(begin, end - begin)));
      gpus.back()->gpu = gpu;
      gpus.back()->partition = partition;
    }
    begin = end + 1;
  }
  emulator::keep_visible(gpus, "ROCR_VISIBLE_DEVICES", [](const auto &agent) { return name_of(*agent); });
  for (uint32_t cpu = 1; cpu <= number_of_cpus(); ++cpu) {
    state().agents.push_back(make_agent(""));
    state().agents.back()->cpu = cpu;
  }
  state().agents.insert(state().agents.end(), gpus.begin(), gpus.end());
  state().is_initialised = true;
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_status_string(hsa_status_t status, const char **text) {
  switch (status) {
#define STAND_IN_STATUS(name, value)                                                                                   \
  case value: *text = "stand-in's text for " #name; return HSA_STATUS_SUCCESS;
    OMPTARGET_HSA_STATUSES(STAND_IN_STATUS)
#undef STAND_IN_STATUS
  default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

STAND_IN_API hsa_status_t hsa_system_get_info(int attribute, void *value) {
  STAND_IN_ENTER(hsa_system_get_info);
  switch (attribute) {
  case HSA_SYSTEM_INFO_VERSION_MAJOR:
  case HSA_SYSTEM_INFO_VERSION_MINOR: return put<uint16_t>(value, 1);
  case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY: return put<uint64_t>(value, kTicksPerSecond);
  case HSA_SYSTEM_INFO_TIMESTAMP: return put<uint64_t>(value, ticks_now());
  case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT: return put<bool>(value, all_reach_host_memory());
  default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

STAND_IN_API hsa_status_t hsa_iterate_agents(AgentCallback callback, void *data) {
  STAND_IN_ENTER(hsa_iterate_agents);
  for (const auto &agent : state().agents)
    if (const hsa_status_t status = callback(handle_of(*agent), data))
      return status;
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_agent_get_info(hsa_agent_t handle, int attribute, void *value) {
  STAND_IN_ENTER(hsa_agent_get_info);
  const Agent *agent = find_agent("hsa_agent_get_info", handle);
  if (!agent)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  const bool is_wide = agent->target.starts_with("gfx9");
  char name[64] = {};
  switch (attribute) {
  case HSA_AGENT_INFO_DEVICE: return put<int>(value, agent->is_gpu ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU);
  case HSA_AGENT_INFO_FEATURE: return put<int>(value, agent->is_gpu ? HSA_AGENT_FEATURE_KERNEL_DISPATCH : 0);
  case HSA_AGENT_INFO_WAVEFRONT_SIZE: return put<uint32_t>(value, is_wide ? 64 : 32);
  case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE: return put<uint32_t>(value, 1024);
  case HSA_AGENT_INFO_GRID_MAX_SIZE: return put<uint32_t>(value, UINT32_MAX);
  case HSA_AGENT_INFO_QUEUES_MAX: return put<uint32_t>(value, 16);
  case HSA_AGENT_INFO_QUEUE_MIN_SIZE: return put<uint32_t>(value, 4);
  case HSA_AGENT_INFO_QUEUE_MAX_SIZE: return put<uint32_t>(value, 4096);
  case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT: return put<uint32_t>(value, 8 / partitions());
  case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU: return put<uint32_t>(value, 32);
  case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY: return put<uint32_t>(value, 1700);
  case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
  case HSA_AMD_AGENT_INFO_DOMAIN: return put<uint32_t>(value, 0);
  case HSA_AMD_AGENT_INFO_BDFID:
    return put<uint32_t>(value, agent->gpu << 8 | agent->partition); // a bus each; partitions stand for functions
  case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
    std::snprintf(name, sizeof(name), "stand-in for %s", agent->target.c_str());
    std::memcpy(value, name, sizeof(name));
    return HSA_STATUS_SUCCESS;
  case HSA_AMD_AGENT_INFO_UUID:
    std::strcpy(static_cast<char *>(value), name_of(*agent).c_str());
    return HSA_STATUS_SUCCESS;
  case kAgentInfoMemoryAvailable: // SIM_HSA_FREE: bytes
    return std::getenv("SIM_HSA_FREE") ? put<uint64_t>(value, std::strtoull(std::getenv("SIM_HSA_FREE"), nullptr, 10))
                                       : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  case kAgentInfoNearestCpu:
    if (is_set("SIM_HSA_OLD") || !agent->is_gpu)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return put(value, handle_of(*state().agents[(agent->gpu - 1) % number_of_cpus()]));
  case HSA_AMD_AGENT_INFO_CHIP_ID: // MI300A, MI300X
    return put<uint32_t>(value, is_set("SIM_HSA_APU") ? kChipMi300A : 0x74A1);
  case kAgentInfoMemoryProperties:
    if (is_set("SIM_HSA_OLD"))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return put<uint64_t>(value, is_set("SIM_HSA_APU") ? kMemoryPropertyIsApu : 0);
  default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

STAND_IN_API hsa_status_t hsa_agent_iterate_isas(hsa_agent_t handle, IsaCallback callback, void *data) {
  STAND_IN_ENTER(hsa_agent_iterate_isas);
  return callback(hsa_isa_t{handle.handle}, data);
}

STAND_IN_API hsa_status_t hsa_isa_get_info_alt(hsa_isa_t isa, int attribute, void *value) {
  STAND_IN_ENTER(hsa_isa_get_info_alt);
  const Agent *agent = find_agent("hsa_isa_get_info_alt", {isa.handle});
  if (!agent)
    return HSA_STATUS_ERROR_INVALID_ISA;
  const std::string name = "amdgcn-amd-amdhsa--" + agent->target;
  if (attribute == HSA_ISA_INFO_NAME_LENGTH)
    return put<uint32_t>(value, static_cast<uint32_t>(name.size() + 1));
  std::memcpy(value, name.c_str(), name.size() + 1);
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_amd_register_system_event_handler(EventCallback callback, void *data) {
  STAND_IN_ENTER(hsa_amd_register_system_event_handler);
  const std::lock_guard lock(state().mutex);
  if (state().event_callback)
    return HSA_STATUS_ERROR;
  state().event_callback = callback;
  state().event_data = data;
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_amd_agent_iterate_memory_pools(hsa_agent_t handle, PoolCallback callback, void *data) {
  STAND_IN_ENTER(hsa_amd_agent_iterate_memory_pools);
  const Agent *agent = find_agent("hsa_amd_agent_iterate_memory_pools", handle);
  if (!agent)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  for (const auto &pool : agent->pools)
    if (const hsa_status_t status = callback({reinterpret_cast<uintptr_t>(pool.get())}, data))
      return status;
  return HSA_STATUS_SUCCESS;
}

STAND_IN_API hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t handle, int attribute, void *value) {
  STAND_IN_ENTER(hsa_amd_memory_pool_get_info);
  const Pool &pool = *reinterpret_cast<const Pool *>(handle.handle);
  const bool is_group = pool.kind == PoolKind::kGroup;
  uint32_t flags = pool.kind == PoolKind::kFineHost || pool.kind == PoolKind::kFineDevice
                       ? HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED
                       : HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
  if (pool.kind == PoolKind::kFineHost)
    flags |= HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;
  switch (attribute) {
  case HSA_AMD_MEMORY_POOL_INFO_SEGMENT:
    return put<int>(value, is_group ? HSA_AMD_SEGMENT_GROUP : HSA_AMD_SEGMENT_GLOBAL);
  case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS:
    return is_group ? HSA_STATUS_ERROR_INVALID_ARGUMENT : put<uint32_t>(value, flags);
  case HSA_AMD_MEMORY_POOL_INFO_SIZE: return put<size_t>(value, is_group ? kGroupMemory : kDeviceMemory);
  case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED: return put<bool>(value, !is_group);
  default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

STAND_IN_API hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t handle, hsa_amd_memory_pool_t pool,
                                                             int attribute, void *value) {
  STAND_IN_ENTER(hsa_amd_agent_memory_pool_get_info);
  const Agent *agent = find_agent("hsa_amd_agent_memory_pool_get_info", handle);
  if (!agent)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (attribute != HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  constexpr int kNeverAllowed = 0, kDisallowedByDefault = 2; // HSA_AMD_MEMORY_POOL_ACCESS_*
  return put<int>(value, can_reach(*agent, *reinterpret_cast<const Pool *>(pool.handle)) ? kDisallowedByDefault
                                                                                         : kNeverAllowed);
}
