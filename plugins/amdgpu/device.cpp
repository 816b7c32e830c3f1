// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/device.h"

#include <algorithm>
#include <cstdio>

#include "amdgpu/driver.h"
#include "amdgpu/staging.h"
#include "base/settings.h"

namespace omptarget::amdgpu {

namespace {

constexpr int kAgentInfoTimestampFrequency = 0xA016; // HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY, since ROCm 5.3
constexpr uint64_t kUsualClockFrequency = 100000000;

hsa_status_t add_isa(hsa_isa_t isa, void *data) {
  static_cast<std::vector<hsa_isa_t> *>(data)->push_back(isa);
  return HSA_STATUS_SUCCESS;
}

// The first of an agent's instruction sets is its own; those after it are generic ones that it runs, too.
Status read_target(DeviceProperties &properties) {
  std::vector<hsa_isa_t> isas;
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_agent_iterate_isas, properties.agent, add_isa, &isas));
  if (isas.empty())
    return Status::error("the driver names no instruction set of a GPU");
  uint32_t length = 0;
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_isa_get_info_alt, isas[0], HSA_ISA_INFO_NAME_LENGTH, &length));
  std::string name(length, '\0');
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_isa_get_info_alt, isas[0], HSA_ISA_INFO_NAME, name.data()));
  properties.isa = name.c_str(); // the length may count the NUL
  OMPTARGET_TRY_ASSIGN(properties.target, TargetId::parse(properties.isa));
  return Status::ok();
}

Status read_device_pools(DeviceProperties &properties) {
  OMPTARGET_TRY_ASSIGN(const std::vector<MemoryPool> pools, read_pools(properties.agent));
  bool has_pool = false;
  for (const MemoryPool &pool : pools) {
    if (pool.segment == HSA_AMD_SEGMENT_GROUP)
      properties.group_memory = static_cast<uint32_t>(pool.size);
    const bool is_coarse = pool.flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
    if (pool.segment != HSA_AMD_SEGMENT_GLOBAL || !pool.may_allocate || !is_coarse || has_pool)
      continue;
    properties.device_pool = pool;
    has_pool = true;
  }
  return has_pool ? Status::ok() : Status::error("the driver has no pool of coarse-grained memory of a GPU");
}

const char *yes_no(bool value) { return value ? "yes" : "no"; }

// "GPU-" and 16 digits, or "GPU-XX" if the device has none; empty if the driver does not tell.
std::string uuid_of(hsa_agent_t agent) {
  char uuid[32] = "";
  if (OMPTARGET_HSA_RESULT(hsa_agent_get_info, agent, HSA_AMD_AGENT_INFO_UUID, uuid) != HSA_STATUS_SUCCESS)
    return {};
  uuid[sizeof(uuid) - 1] = '\0';
  return uuid;
}

uint32_t number_of(hsa_agent_t agent, int attribute) {
  uint32_t value = 0;
  static_cast<void>(OMPTARGET_HSA_RESULT(hsa_agent_get_info, agent, attribute, &value));
  return value;
}

// Drivers before ROCm 6 do not tell; then the chip tells, MI300A or MI300X, which have one target.
bool find_whether_apu(const DeviceProperties &properties) {
  uint8_t memory_properties[8] = {};
  if (OMPTARGET_HSA_RESULT(hsa_agent_get_info, properties.agent, kAgentInfoMemoryProperties, memory_properties) ==
      HSA_STATUS_SUCCESS)
    return (memory_properties[0] & kMemoryPropertyIsApu) != 0;
  return properties.target.processor == "gfx942" &&
         number_of(properties.agent, HSA_AMD_AGENT_INFO_CHIP_ID) == kChipMi300A;
}

} // namespace

Result<DeviceProperties> DeviceProperties::read(hsa_agent_t agent, const std::vector<hsa_agent_t> &cpus) {
  DeviceProperties properties;
  properties.agent = agent;
  OMPTARGET_TRY(read_target(properties));
  OMPTARGET_TRY(read_device_pools(properties));
  OMPTARGET_TRY_ASSIGN(properties.host_pools, HostPools::choose(agent, cpus));
  const struct {
    int attribute;
    uint32_t *value;
  } wanted[] = {
      {HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &properties.compute_units},
      {HSA_AGENT_INFO_WAVEFRONT_SIZE, &properties.wavefront_size},
      {HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU, &properties.max_waves},
      {HSA_AGENT_INFO_WORKGROUP_MAX_SIZE, &properties.max_threads},
      {HSA_AGENT_INFO_GRID_MAX_SIZE, &properties.max_grid},
      {HSA_AGENT_INFO_QUEUES_MAX, &properties.max_queues},
      {HSA_AGENT_INFO_QUEUE_MIN_SIZE, &properties.least_queue_size},
      {HSA_AGENT_INFO_QUEUE_MAX_SIZE, &properties.most_queue_size},
  };
  for (const auto &[attribute, value] : wanted)
    OMPTARGET_TRY(OMPTARGET_HSA(hsa_agent_get_info, agent, attribute, value));
  properties.is_apu = find_whether_apu(properties);
  // Older drivers do not know this one.
  if (OMPTARGET_HSA_RESULT(hsa_agent_get_info, agent, kAgentInfoTimestampFrequency, &properties.clock_frequency) !=
          HSA_STATUS_SUCCESS ||
      properties.clock_frequency == 0)
    properties.clock_frequency = kUsualClockFrequency;
  return properties;
}

Device::Device(int32_t id, const DeviceProperties &properties)
    : gpu::Device(id, memory_, queues_), properties_(properties), signals_(*this), memory_(*this), queues_(*this) {}

// ---- Life

void Device::set_limits(LaunchLimits &limits) const {
  constexpr int64_t kDefaultTeams = 4; // teams per compute unit, for kernels that do not state their needs
  limits.warp_size = properties_.wavefront_size;
  limits.max_threads = std::min(limits.max_threads, properties_.max_threads);
  limits.max_items = properties_.max_grid;
  limits.default_threads = 256;
  limits.teams_follow_kernel =
      !setting_is_set(SettingId::kAmdgpuTeamsPerCu) && !setting_is_set(SettingId::kTeamsPerProcessor);
  const SettingId per_unit =
      setting_is_set(SettingId::kTeamsPerProcessor) && !setting_is_set(SettingId::kAmdgpuTeamsPerCu)
          ? SettingId::kTeamsPerProcessor
          : SettingId::kAmdgpuTeamsPerCu;
  const int64_t teams = std::max<int64_t>(1, setting_or(per_unit, 1, 65536, kDefaultTeams));
  limits.default_teams = static_cast<uint32_t>(
      std::min<uint64_t>(limits.max_teams, static_cast<uint64_t>(teams) * std::max(1u, properties_.compute_units)));
}

gpu::DeviceRates Device::rates() const {
  return {properties_.clock_frequency, uint64_t{properties_.compute_units} * properties_.max_waves};
}

gpu::HostMemoryAccess Device::host_memory_access() const {
  if (!reaches_pageable_memory())
    return {OMPTARGET_HOST_MEMORY_NOT_REACHED,
            "memory of the driver's pools and pinned memory only, since XNACK is off (HSA_XNACK=1)"};
  if (properties_.is_apu)
    return {OMPTARGET_HOST_MEMORY_SHARED, "all memory of the host, which it shares (APU, XNACK is on)"};
  return {OMPTARGET_HOST_MEMORY_BY_FAULTS, "all memory of the host, by page faults (XNACK is on)"};
}

// The driver tells it of all devices together; that of one device is in its target.
bool Device::reaches_pageable_memory() const {
  return driver().reaches_pageable_memory || properties_.target.xnack == Feature::kOn;
}

// Older drivers do not tell; then it is what there is in all.
Result<uint64_t> Device::free_memory() const {
  uint64_t bytes = 0;
  return OMPTARGET_HSA_RESULT(hsa_agent_get_info, agent(), kAgentInfoMemoryAvailable, &bytes) == HSA_STATUS_SUCCESS
             ? bytes
             : uint64_t{properties_.device_pool.size};
}

Status Device::create_own() {
  uses_two_engines_ = setting_flag(SettingId::kAmdgpuUseMultipleSdmaEngines);
  if (uses_two_engines_ && !driver().hsa_amd_memory_async_copy_on_engine) {
    warn_about_setting(SettingId::kAmdgpuUseMultipleSdmaEngines, "the driver does not let one choose; ignored");
    uses_two_engines_ = false;
  }
  return signals_.init();
}

Status Device::release_own() { return signals_.release_all(); }

std::unique_ptr<gpu::Image> Device::make_image(std::unique_ptr<gpu::ImageTarget> target) {
  return std::make_unique<Image>(*this, std::move(target));
}

std::unique_ptr<gpu::StagingBuffer> Device::make_staging_buffer() { return std::make_unique<StagingBuffer>(*this); }

// ---- What it says of the device

std::string Device::architecture() const { return properties_.target.name(); }

std::string Device::summary() const {
  return format("%s, %u compute units", architecture().c_str(), properties_.compute_units);
}

// Partitions of a GPU may share its UUID, and GPUs without any are all called the same: from the second on they have
// a number.
std::string Device::uid() const {
  std::string uid = uuid_of(agent());
  int before = 0;
  for (const hsa_agent_t other : all_agents()) {
    if (other.handle == agent().handle)
      break;
    before += uuid_of(other) == uid;
  }
  if (before != 0 && !uid.empty())
    uid += format(".%d", before);
  return uid;
}

std::string Device::pci_address() const {
  const uint32_t bus = number_of(agent(), HSA_AMD_AGENT_INFO_BDFID);
  return format("%04x:%02x:%02x.%x", number_of(agent(), HSA_AMD_AGENT_INFO_DOMAIN), bus >> 8 & 0xff, bus >> 3 & 0x1f,
                bus & 7);
}

void Device::describe(__tgt_device_info &info) const {
  info.Context = nullptr; // HSA has none
  info.Device = reinterpret_cast<void *>(agent().handle);
}

void Device::print_info() const {
  char name[64] = "";
  static_cast<void>(OMPTARGET_HSA_RESULT(hsa_agent_get_info, agent(), HSA_AMD_AGENT_INFO_PRODUCT_NAME, name));
  name[sizeof(name) - 1] = '\0';
  std::printf("    Device                     %d (%d of the AMDGPU plugin)\n", number(), id());
  std::printf("    Name                       %s\n", name);
  std::printf("    Architecture               %s\n", properties_.target.name().c_str());
  std::printf("    Instruction set            %s\n", properties_.isa.c_str());
  std::printf("    PCI bus                    %s\n", pci_address().c_str());
  std::printf("    KFD node                   %u\n", number_of(agent(), HSA_AMD_AGENT_INFO_DRIVER_NODE_ID));
  std::printf("    HSA runtime                %u.%u\n", driver().major, driver().minor);
  std::printf("    Memory                     %zu bytes\n", properties_.device_pool.size);
  std::printf("    Compute units              %u\n", properties_.compute_units);
  std::printf("    Clock                      %u MHz\n", number_of(agent(), HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY));
  std::printf("    Wavefront                  %u threads\n", properties_.wavefront_size);
  std::printf("    Wavefronts of a unit       %u\n", properties_.max_waves);
  std::printf("    Most threads of a team     %u\n", limits().max_threads);
  std::printf("    Most teams                 %u\n", limits().max_teams);
  std::printf("    Shared memory of a team    %u bytes\n", properties_.group_memory);
  std::printf("    HSA queues                 %u of %u to %u packets\n", properties_.max_queues,
              properties_.least_queue_size, properties_.most_queue_size);
  std::printf("    Shares memory with the CPU %s\n", yes_no(properties_.is_apu));
  std::printf("    Reaches pageable memory    %s\n", yes_no(reaches_pageable_memory()));
  std::printf("    Memory of the host         it reaches %s\n", host_memory_access().text);
  std::printf("    Uses mapped data in place  %s\n", yes_no(kernels_use_host_memory() || uses_zero_copy()));
}

} // namespace omptarget::amdgpu
