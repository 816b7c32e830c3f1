// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/device.h"

#include <algorithm>

#include "base/log.h"
#include "base/settings.h"
#include "common/boundary.h"
#include "common/device_layouts.h"
#include "cuda/driver.h"

namespace omptarget::cuda {

namespace {

thread_local Device *current_device = nullptr;
constinit std::atomic<int32_t> first_number{0};
constinit std::atomic<int64_t> requirements{0};

} // namespace

void set_device_offset(int32_t first) { first_number.store(first, std::memory_order_relaxed); }
int32_t device_offset() { return first_number.load(std::memory_order_relaxed); }
void set_requirements(int64_t mask) { requirements.fetch_or(mask, std::memory_order_relaxed); }
bool uses_unified_shared_memory() {
  return (requirements.load(std::memory_order_relaxed) & OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY) != 0;
}

Result<DeviceProperties> DeviceProperties::read(int32_t id) {
  DeviceProperties properties;
  OMPTARGET_TRY(OMPTARGET_CU(cuDeviceGet, &properties.handle, id));
  int major = 0;
  int minor = 0;
  int managed = 0;
  int pageable = 0;
  int pools = 0;
  int shared = 0;
  const struct {
    int attribute;
    int *value;
  } wanted[] = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &properties.multiprocessors},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &properties.max_threads},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &properties.max_threads_per_multiprocessor},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &properties.max_grid},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, &properties.warp_size},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &shared},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &properties.shared_memory},
      {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, &managed},
      {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, &pageable},
  };
  for (const auto &[attribute, value] : wanted)
    OMPTARGET_TRY(OMPTARGET_CU(cuDeviceGetAttribute, value, attribute, properties.handle));
  // Drivers before CUDA 11.2 do not know this one.
  if (OMPTARGET_CU_RESULT(cuDeviceGetAttribute, &pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
                          properties.handle) != CUDA_SUCCESS)
    pools = 0;
  properties.sm = major * 10 + minor;
  properties.shared_memory = std::max(properties.shared_memory, shared);
  properties.has_managed_memory = managed != 0;
  properties.reaches_pageable_memory = pageable != 0;
  properties.has_memory_pools = pools != 0;
  return properties;
}

Device::Device(int32_t id, const DeviceProperties &properties)
    : id_(id), properties_(properties), queues_(*this) {}

Device *Device::current() { return current_device; }

int32_t Device::number() const { return id_ + device_offset(); }

Status Device::failure(CUresult result, const std::string &call) {
  if (fault_.happened())
    return Status::error(fault_.text());
  if (!ends_context(result))
    return Status::error(call);
  const std::string kernels = launches_.unfinished();
  fault_.set(kernels.empty() ? format("device %d failed: %s", number(), call.c_str())
                             : format("%s failed on device %d: %s", kernels.c_str(), number(), call.c_str()));
  OMPTARGET_TRACE_DEVICE(Topic::kDevice, number(), "%s", fault_.text().c_str());
  return Status::error(fault_.text());
}

Scope::Scope(Device &device) : outer_(current_device) {
  current_device = &device;
  CUcontext context = nullptr;
  if (OMPTARGET_CU_RESULT(cuCtxGetCurrent, &context) == CUDA_SUCCESS && context == device.context_)
    return;
  status_ = OMPTARGET_CU(cuCtxPushCurrent, device.context_);
  pushed_ = status_.is_ok();
}

Scope::~Scope() {
  CUcontext context = nullptr;
  if (pushed_)
    static_cast<void>(OMPTARGET_CU_RESULT(cuCtxPopCurrent, &context));
  current_device = outer_;
}

Status Device::init() {
  if (is_lost_)
    return Status::error(format("device %d could not be closed and cannot be opened again", number()));
  OMPTARGET_TRY_DURING(OMPTARGET_CU(cuDevicePrimaryCtxRetain, &context_, properties_.handle),
                       "while creating the context of device %d", number());
  fault_.clear();
  launches_.completed(nullptr);
  Status status;
  {
    Scope scope(*this);
    status = scope.take_status();
    if (status) {
      status = create_contents();
      if (!status)
        release_contents().consume();
    }
  }
  if (!status) {
    OMPTARGET_CU(cuDevicePrimaryCtxRelease, properties_.handle).consume();
    context_ = nullptr;
    return status;
  }
  is_ready_.store(true, std::memory_order_release);
  OMPTARGET_TRACE_DEVICE(Topic::kDevice, number(), "ready: sm_%d, %d multiprocessors, context %p", properties_.sm,
                         properties_.multiprocessors, static_cast<void *>(context_));
  if (uses_unified_shared_memory() && !properties_.reaches_pageable_memory)
    OMPTARGET_TRACE_DEVICE(Topic::kDevice, number(),
                           "the program requires unified shared memory; this device reaches managed memory only");
  return Status::ok();
}

Status Device::create_contents() {
  limits_ = LaunchLimits{};
  limits_.warp_size = static_cast<uint32_t>(properties_.warp_size);
  limits_.max_threads = std::min(limits_.max_threads, static_cast<uint32_t>(properties_.max_threads));
  limits_.max_teams = std::min(limits_.max_teams, static_cast<uint32_t>(properties_.max_grid));
  apply_launch_settings(limits_);
  debug_kind_ = static_cast<uint32_t>(setting_integer(SettingId::kDeviceRtlDebug));
  pool_size_ = setting_is_set(SettingId::kHeapSize) ? setting_integer(SettingId::kHeapSize) : 0;
  OMPTARGET_TRY(set_context_limits());
  OMPTARGET_TRY(memory_.init(properties_));
  staging_.init();
  return queues_.init();
}

Status Device::set_context_limits() {
  const struct {
    SettingId setting;
    int limit;
  } limits[] = {{SettingId::kStackSize, CU_LIMIT_STACK_SIZE}, {SettingId::kHeapSize, CU_LIMIT_MALLOC_HEAP_SIZE}};
  for (const auto &[setting, limit] : limits) {
    if (!setting_is_set(setting))
      continue;
    const int64_t value = setting_integer(setting);
    if (value <= 0)
      continue;
    OMPTARGET_TRY_DURING(OMPTARGET_CU(cuCtxSetLimit, limit, static_cast<size_t>(value)), "while setting %s to %lld",
                         setting_row(setting).variable, static_cast<long long>(value));
  }
  return Status::ok();
}

Status Device::deinit() {
  if (!is_ready_.exchange(false, std::memory_order_acq_rel))
    return Status::ok();
  Status status;
  bool is_released = false;
  // Twice, since nothing can be given back without the context.
  for (int attempt = 0; attempt < 2 && !is_released; ++attempt) {
    Scope scope(*this);
    Status step = scope.take_status();
    is_released = step.is_ok();
    if (is_released)
      step = release_contents();
    if (status)
      status = std::move(step);
  }
  if (!is_released) {
    is_lost_ = true;
    return status;
  }
  if (Status released = OMPTARGET_CU(cuDevicePrimaryCtxRelease, properties_.handle); !released && status)
    status = std::move(released);
  context_ = nullptr;
  return status;
}

// Goes on after failures: after a kernel's fault the driver refuses everything, and what can be given back still is.
Status Device::release_contents() {
  Status status;
  const auto keep_first = [&status](Status one) {
    if (!one && status)
      status = std::move(one);
  };
  keep_first(wait_for_kernels());
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
  peers_.clear();
  return status;
}

Status Device::close_image(Image &image) {
  Status status = fault_.happened() ? Status::ok() : image.run_global_calls(GlobalCall::kDestructors);
  report_memory_pool(image);
  Status unloaded = image.unload();
  return status ? std::move(unloaded) : std::move(status);
}

Status Device::wait_for_kernels() { return OMPTARGET_CU(cuCtxSynchronize); }

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
  environment.debug_kind = debug_kind_;
  environment.num_devices = static_cast<uint32_t>(number_of_devices());
  environment.device_number = static_cast<uint32_t>(number());
  environment.dynamic_memory_size = limits_.shared_memory;
  environment.clock_frequency = 1000000000; // of %globaltimer, which counts nanoseconds
  environment.indirect_call_table = function_map_.address();
  environment.indirect_call_table_size = function_map_.count();
  environment.hardware_parallelism = static_cast<uint64_t>(properties_.multiprocessors) *
                                     static_cast<uint64_t>(properties_.max_threads_per_multiprocessor) /
                                     static_cast<uint64_t>(std::max(1, properties_.warp_size));
  for (const char *name : kDeviceEnvironmentNames) {
    OMPTARGET_TRY_ASSIGN(const bool written, image.write_global(name, &environment, sizeof(environment)));
    if (written)
      OMPTARGET_TRACE_DEVICE(Topic::kImage, number(), "wrote %s", name);
  }
  OMPTARGET_TRY(function_map_.write(*this, image));
  return set_up_memory_pool(image);
}

// The device runtime takes its memory from malloc unless it is given a pool, which it is only if one is asked for.
Status Device::set_up_memory_pool(Image &image) {
  if (pool_size_ <= 0)
    return Status::ok();
  OMPTARGET_TRY_ASSIGN(const auto global, image.find_global(kMemoryPoolName));
  if (!global)
    return Status::ok();
  OMPTARGET_TRY_ASSIGN(void *memory, memory_.allocate(static_cast<size_t>(pool_size_), OMPTARGET_ALLOC_DEVICE));
  memory_pools_.push_back(memory);
  const DeviceMemoryPool pool{reinterpret_cast<uintptr_t>(memory), static_cast<uint64_t>(pool_size_)};
  OMPTARGET_TRY_ASSIGN([[maybe_unused]] const bool written, image.write_global(kMemoryPoolName, &pool, sizeof(pool)));
  return Status::ok();
}

void Device::report_memory_pool(Image &image) {
  if (!(debug_kind_ & kDebugAllocationTracker) || fault_.happened())
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

} // namespace omptarget::cuda
