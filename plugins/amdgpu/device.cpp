// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/device.h"

#include <algorithm>
#include <cstring>

#include "amdgpu/driver.h"
#include "base/log.h"
#include "base/settings.h"
#include "common/boundary.h"
#include "common/device_layouts.h"

namespace omptarget::amdgpu {

namespace {

constinit std::atomic<int32_t> first_number{0};
constinit std::atomic<int64_t> requirements{0};

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

} // namespace

void set_device_offset(int32_t first) { first_number.store(first, std::memory_order_relaxed); }
int32_t device_offset() { return first_number.load(std::memory_order_relaxed); }
void set_requirements(int64_t mask) { requirements.fetch_or(mask, std::memory_order_relaxed); }
bool uses_unified_shared_memory() {
  return (requirements.load(std::memory_order_relaxed) & OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY) != 0;
}

Result<DeviceProperties> DeviceProperties::read(hsa_agent_t agent) {
  DeviceProperties properties;
  properties.agent = agent;
  OMPTARGET_TRY(read_target(properties));
  OMPTARGET_TRY(read_device_pools(properties));
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
  // Older drivers do not know these two.
  uint8_t memory_properties[8] = {};
  if (OMPTARGET_HSA_RESULT(hsa_agent_get_info, agent, kAgentInfoMemoryProperties, memory_properties) ==
      HSA_STATUS_SUCCESS)
    properties.is_apu = memory_properties[0] & kMemoryPropertyIsApu;
  if (OMPTARGET_HSA_RESULT(hsa_agent_get_info, agent, kAgentInfoTimestampFrequency, &properties.clock_frequency) !=
          HSA_STATUS_SUCCESS ||
      properties.clock_frequency == 0)
    properties.clock_frequency = kUsualClockFrequency;
  return properties;
}

Device::Device(int32_t id, const DeviceProperties &properties)
    : id_(id), properties_(properties), signals_(*this), memory_(*this), queues_(*this), staging_(*this) {}

int32_t Device::number() const { return id_ + device_offset(); }

bool Device::uses_zero_copy() const {
  return driver().reaches_pageable_memory && (properties_.is_apu || setting_flag(SettingId::kApuMaps));
}

void Device::lose(const std::string &what) {
  const std::string kernels = launches_.unfinished();
  fault_.set(kernels.empty() ? format("device %d failed: %s", number(), what.c_str())
                             : format("%s failed on device %d: %s", kernels.c_str(), number(), what.c_str()));
  OMPTARGET_TRACE_DEVICE(Topic::kDevice, number(), "%s", fault_.text().c_str());
}

Status Device::init() {
  Status status = create_contents();
  if (!status) {
    release_contents().consume();
    return status;
  }
  is_ready_.store(true, std::memory_order_release);
  OMPTARGET_TRACE_DEVICE(Topic::kDevice, number(), "ready: %s, %u compute units", properties_.target.name().c_str(),
                         properties_.compute_units);
  if (uses_unified_shared_memory() && !driver().reaches_pageable_memory)
    OMPTARGET_TRACE_DEVICE(Topic::kDevice, number(),
                           "the program requires unified shared memory; XNACK is off, so that this device reaches memory "
                           "of the driver's pools only");
  return Status::ok();
}

Status Device::create_contents() {
  limits_ = LaunchLimits{};
  limits_.warp_size = properties_.wavefront_size;
  limits_.max_threads = std::min(limits_.max_threads, properties_.max_threads);
  limits_.default_threads = 256;
  const SettingId per_unit = setting_is_set(SettingId::kTeamsPerProcessor) &&
                                     !setting_is_set(SettingId::kAmdgpuTeamsPerCu)
                                 ? SettingId::kTeamsPerProcessor
                                 : SettingId::kAmdgpuTeamsPerCu;
  const int64_t teams = std::max<int64_t>(1, setting_in(per_unit, 1, 65536));
  limits_.default_teams = static_cast<uint32_t>(
      std::min<uint64_t>(limits_.max_teams, static_cast<uint64_t>(teams) * std::max(1u, properties_.compute_units)));
  apply_launch_settings(limits_);
  uses_two_engines_ = setting_flag(SettingId::kAmdgpuUseMultipleSdmaEngines);
  if (uses_two_engines_ && !driver().hsa_amd_memory_async_copy_on_engine) {
    warn_about_setting(SettingId::kAmdgpuUseMultipleSdmaEngines, "the driver does not let one choose; ignored");
    uses_two_engines_ = false;
  }
  OMPTARGET_TRY(signals_.init());
  OMPTARGET_TRY(memory_.init());
  staging_.init();
  return queues_.init(properties_);
}

Status Device::deinit() {
  if (!is_ready_.exchange(false, std::memory_order_acq_rel))
    return Status::ok();
  return release_contents();
}

// Goes on after failures: after a kernel's fault what can be given back still is.
Status Device::release_contents() {
  Status status;
  const auto keep_first = [&status](Status one) {
    if (!one && status)
      status = std::move(one);
  };
  if (!fault_.happened())
    keep_first(queues_.wait_for_kernels());
  while (!images_.empty()) {
    keep_first(close_image(*images_.back()));
    images_.pop_back();
  }
  report_statistics();
  for (void *pool : memory_pools_)
    keep_first(memory_.release(pool));
  memory_pools_.clear();
  keep_first(function_map_.release(*this));
  keep_first(queues_.release_all());
  keep_first(staging_.release_all());
  keep_first(memory_.release_all());
  keep_first(signals_.release_all());
  return status;
}

Status Device::close_image(Image &image) {
  Status status = fault_.happened() ? Status::ok() : image.run_global_calls(GlobalCall::kDestructors);
  report_memory_pool(image);
  Status unloaded = image.unload();
  return status ? std::move(unloaded) : std::move(status);
}

Result<__tgt_target_table *> Device::load_image(const __tgt_device_image &source) {
  OMPTARGET_TRY_ASSIGN(std::unique_ptr<Image> image, Image::load(*this, source));
  Status status = write_environment(*image);
  if (status)
    status = image->run_global_calls(GlobalCall::kConstructors);
  if (!status) {
    image->unload().consume();
    return status;
  }
  images_.push_back(std::move(image));
  return images_.back()->table();
}

Status Device::unload_image(__tgt_target_table *table) {
  const auto found = std::find_if(images_.begin(), images_.end(),
                                  [table](const auto &image) { return image->table() == table; });
  if (found == images_.end())
    return Status::error(format("%p is no table of an image on device %d", static_cast<void *>(table), number()));
  OMPTARGET_TRY(wait_for_kernels());
  launches_.completed(nullptr);
  Status status = close_image(**found);
  images_.erase(found);
  return status;
}

Status Device::write_environment(Image &image) {
  DeviceEnvironment environment{};
  environment.debug_kind = static_cast<uint32_t>(setting_integer(SettingId::kDeviceRtlDebug));
  environment.num_devices = static_cast<uint32_t>(number_of_devices());
  environment.device_number = static_cast<uint32_t>(number());
  environment.dynamic_memory_size = limits_.shared_memory;
  environment.clock_frequency = properties_.clock_frequency;
  environment.indirect_call_table = function_map_.address();
  environment.indirect_call_table_size = function_map_.count();
  environment.hardware_parallelism = uint64_t{properties_.compute_units} * properties_.max_waves;
  for (const char *name : kDeviceEnvironmentNames) {
    OMPTARGET_TRY_ASSIGN(const bool written, image.write_global(name, &environment, sizeof(environment)));
    if (written)
      OMPTARGET_TRACE_DEVICE(Topic::kImage, number(), "wrote %s", name);
  }
  OMPTARGET_TRY(function_map_.write(*this, image));
  return set_up_memory_pool(image);
}

// Device code has no malloc of the driver's, so the device runtime always gets a pool.
Status Device::set_up_memory_pool(Image &image) {
  constexpr int64_t kDefaultPool = 4 << 20;
  const int64_t size =
      setting_is_set(SettingId::kHeapSize) ? setting_in(SettingId::kHeapSize, 0, int64_t{1} << 40) : kDefaultPool;
  OMPTARGET_TRY_ASSIGN(const auto global, image.find_global(kMemoryPoolName));
  if (!global || size <= 0)
    return Status::ok();
  OMPTARGET_TRY_ASSIGN(void *memory, memory_.allocate(static_cast<size_t>(size), OMPTARGET_ALLOC_DEVICE));
  memory_pools_.push_back(memory);
  const DeviceMemoryPool pool{reinterpret_cast<uintptr_t>(memory), static_cast<uint64_t>(size)};
  OMPTARGET_TRY_ASSIGN([[maybe_unused]] const bool written, image.write_global(kMemoryPoolName, &pool, sizeof(pool)));
  return Status::ok();
}

void Device::report_memory_pool(Image &image) {
  if (!(setting_integer(SettingId::kDeviceRtlDebug) & kDebugAllocationTracker) || fault_.happened())
    return;
  DeviceMemoryPoolTracker tracker{};
  Result<bool> found = image.read_global(kMemoryPoolTrackerName, &tracker, sizeof(tracker));
  if (found && *found)
    omptarget::print_info(number(), "device memory pool: %llu allocations, %llu bytes, smallest %llu, largest %llu",
                          static_cast<unsigned long long>(tracker.count),
                          static_cast<unsigned long long>(tracker.total),
                          static_cast<unsigned long long>(tracker.least),
                          static_cast<unsigned long long>(tracker.most));
}

} // namespace omptarget::amdgpu
