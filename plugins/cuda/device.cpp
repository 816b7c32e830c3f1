// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/device.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "base/log.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "base/uncancelled.h"
#include "common/stack_setting.h"
#include "cuda/driver.h"
#include "cuda/fault.h"
#include "cuda/kernel.h"
#include "cuda/staging.h"

namespace omptarget::cuda {

namespace {

const char *yes_no(bool value) { return value ? "yes" : "no"; }

} // namespace

Result<DeviceProperties> DeviceProperties::read(int32_t id) {
  DeviceProperties properties;
  OMPTARGET_TRY(OMPTARGET_CU(cuDeviceGet, &properties.handle, id));
  int major = 0;
  int minor = 0;
  int managed = 0;
  int pageable = 0;
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
  properties.sm = major * 10 + minor;
  properties.shared_memory = std::max(properties.shared_memory, shared);
  properties.has_managed_memory = managed != 0;
  properties.reaches_pageable_memory = pageable != 0;
  // Drivers before CUDA 9.2 do not know this one.
  int host_tables = 0;
  if (OMPTARGET_CU_RESULT(cuDeviceGetAttribute, &host_tables,
                          CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES,
                          properties.handle) == CUDA_SUCCESS)
    properties.uses_host_page_tables = host_tables != 0;
  return properties;
}

Device::Device(int32_t id, const DeviceProperties &properties)
    : gpu::Device(id, memory_, queues_), properties_(properties), queues_(*this, memory_) {}

Device *Device::current() { return ThreadContexts::of_thread().device(); }

Status Device::failure(CUresult result, const std::string &call) {
  if (!fault().happened()) {
    if (!ends_context(result))
      return Status::error(call);
    lose(call + advice_on_fault(result));
    // For what kernels printed, as in QueueSet::show_prints(): the call that failed need not have been one that waits.
    (void)OMPTARGET_CU_RESULT(cuCtxSynchronize);
    show_last_prints();
  }
  return Status::error(fault().text());
}

// ---- Stack

Status Device::provide_stack(uint64_t bytes) {
  const Uncancelled uncancelled;
  const std::lock_guard lock(stack_mutex_);
  size_t limit = 0;
  OMPTARGET_TRY(OMPTARGET_CU(cuCtxGetLimit, &limit, CU_LIMIT_STACK_SIZE));
  if (limit < bytes && !user_sets_stack_) {
    OMPTARGET_TRY_DURING(
        OMPTARGET_CU(cuCtxSetLimit, CU_LIMIT_STACK_SIZE, bytes),
        "while raising the stack of each thread from %zu to %llu bytes for code that calls itself or by "
        "pointers (%s sets another size)",
        limit, static_cast<unsigned long long>(bytes), setting_row(SettingId::kStackSize).variable);
    OMPTARGET_TRACE_DEVICE(Topic::kKernel, number(), "raised the stack of each thread from %zu to %llu bytes", limit,
                           static_cast<unsigned long long>(bytes));
    limit = bytes;
  }
  unknown_stack_.store(limit, std::memory_order_relaxed);
  return Status::ok();
}

// A stack that is too small ends with these results: it lies among the stacks of other threads.
std::string Device::advice_on_fault(CUresult result) const {
  if (result == CUDA_ERROR_MPS_CLIENT_TERMINATED)
    return "; NVIDIA's Multi-Process Service has ended this process's work, as it also does when another process that shares the "
           "device has a fault: its log on this node says which (CUDA_MPS_LOG_DIRECTORY)";
  const uint64_t bytes = unknown_stack_.load(std::memory_order_relaxed);
  if (bytes == 0 || (result != CUDA_ERROR_ILLEGAL_ADDRESS && result != CUDA_ERROR_HARDWARE_STACK_ERROR &&
                     result != CUDA_ERROR_MISALIGNED_ADDRESS && result != CUDA_ERROR_LAUNCH_FAILED))
    return {};
  return format(
      "; the stack may be too small: kernels that call themselves or by pointers have %llu bytes for each thread (%s)",
      static_cast<unsigned long long>(bytes), setting_row(SettingId::kStackSize).variable);
}

// ---- Life

namespace {

// LIBOMPTARGET_CUDA_WAIT as the driver's flag for contexts.
unsigned wait_flag() {
  const char *text = setting_text(SettingId::kCudaWait);
  const struct {
    const char *name;
    unsigned flag;
  } ways[] = {{"auto", CU_CTX_SCHED_AUTO},
              {"spin", CU_CTX_SCHED_SPIN},
              {"yield", CU_CTX_SCHED_YIELD},
              {"block", CU_CTX_SCHED_BLOCKING_SYNC}};
  for (const auto &[name, flag] : ways)
    if (!text || std::strcmp(text, name) == 0)
      return flag;
  warn_about_setting(SettingId::kCudaWait,
                     format("'%s' is not one of auto, spin, yield and block; auto is used", shown_value(text).c_str()));
  return CU_CTX_SCHED_AUTO;
}

} // namespace

bool waits_by_sleeping() {
  const char *text = setting_text(SettingId::kCudaWait);
  return text && std::strcmp(text, "block") == 0;
}

// A context that others made already may keep its own way of waiting.
void Device::choose_wait() {
  const unsigned flag = wait_flag();
  if (flag == CU_CTX_SCHED_AUTO)
    return;
  const CUresult result = driver().cuDevicePrimaryCtxSetFlags
                              ? OMPTARGET_CU_RESULT(cuDevicePrimaryCtxSetFlags, properties_.handle, flag)
                              : CUresult{CUDA_ERROR_NOT_SUPPORTED};
  if (result != CUDA_SUCCESS)
    warn_about_setting(SettingId::kCudaWait, "the driver refuses: " + cuda::describe(result));
}

/// Returns advice about a device on which no context can be made; null if the result is not about others.
static const char *advice_on_context(CUresult result) {
  switch (static_cast<int>(result)) {
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
    return "another process has the device, whose compute mode is exclusive, or it is prohibited (nvidia-smi -q -d "
           "COMPUTE): give "
           "each process a device of its own (LIBOMPTARGET_DEFAULT_DEVICE=local-rank), or ask who runs the node for "
           "NVIDIA's "
           "Multi-Process Service";
  case CUDA_ERROR_MPS_CONNECTION_FAILED:
  case CUDA_ERROR_MPS_RPC_FAILURE:
  case CUDA_ERROR_MPS_SERVER_NOT_READY:
  case CUDA_ERROR_MPS_MAX_CLIENTS_REACHED:
  case CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED:
    return "NVIDIA's Multi-Process Service stands between this process and the device (CUDA_MPS_PIPE_DIRECTORY): ask "
           "who runs the "
           "node";
  default: return nullptr;
  }
}

Status Device::open() {
  choose_wait();
  const CUresult result = OMPTARGET_CU_RESULT(cuDevicePrimaryCtxRetain, &context_, properties_.handle);
  if (Status status = gpu::check_call("cuDevicePrimaryCtxRetain", result, call_failure); !status) {
    const char *const advice = advice_on_context(result);
    return (advice ? Status::error(status.to_string() + ": " + advice) : std::move(status))
        .during(format("while creating the context of device %d", number()));
  }
  forget_fault();
  return Status::ok();
}

Status Device::close() {
  ThreadContexts::of_thread().forget(std::exchange(context_, nullptr));
  return OMPTARGET_CU(cuDevicePrimaryCtxRelease, properties_.handle);
}

void Device::enter(Entry &entry) {
  ThreadContexts &thread = ThreadContexts::of_thread();
  static_assert(sizeof(ThreadContexts::Inside) <= sizeof(entry.before));
  thread.enter(*this, context_, *new (entry.before) ThreadContexts::Inside);
  entry.thread = &thread;
}

void Device::leave(const Entry &entry) {
  static_cast<ThreadContexts *>(entry.thread)
      ->leave(*std::launder(reinterpret_cast<const ThreadContexts::Inside *>(entry.before)), is_ready());
}

Status Device::check_entered() {
  return gpu::check_call("cuCtxPushCurrent", ThreadContexts::of_thread().choose(ContextNeed::kOwn), call_failure);
}

void Device::set_limits(LaunchLimits &limits) const {
  limits.warp_size = static_cast<uint32_t>(properties_.warp_size);
  limits.max_threads = std::min(limits.max_threads, static_cast<uint32_t>(properties_.max_threads));
  limits.max_teams = std::min(limits.max_teams, static_cast<uint32_t>(properties_.max_grid));
}

gpu::DeviceRates Device::rates() const {
  constexpr uint64_t kGlobalTimer = 1000000000; // %globaltimer counts nanoseconds
  return {kGlobalTimer, static_cast<uint64_t>(properties_.multiprocessors) *
                            static_cast<uint64_t>(properties_.max_threads_per_multiprocessor) /
                            static_cast<uint64_t>(std::max(1, properties_.warp_size))};
}

gpu::HostMemoryAccess Device::host_memory_access() const {
  if (!properties_.reaches_pageable_memory)
    return {OMPTARGET_HOST_MEMORY_NOT_REACHED, properties_.has_managed_memory
                                                   ? "managed and pinned memory only (no ATS, no HMM)"
                                                   : "pinned memory only (no ATS, no HMM)"};
  if (properties_.uses_host_page_tables)
    return {OMPTARGET_HOST_MEMORY_SHARED, "all memory of the host, by the CPU's page tables (ATS)"};
  return {OMPTARGET_HOST_MEMORY_BY_FAULTS, "all memory of the host, by page faults (HMM)"};
}

Status Device::create_own() {
  const StackSetting stack = stack_setting(number());
  user_sets_stack_ = stack.bytes != 0;
  if (user_sets_stack_)
    OMPTARGET_TRY_DURING(OMPTARGET_CU(cuCtxSetLimit, CU_LIMIT_STACK_SIZE, static_cast<size_t>(stack.bytes)),
                         "while setting %s to %llu", stack.variable.c_str(),
                         static_cast<unsigned long long>(stack.bytes));
  const int64_t heap = setting_is_set(SettingId::kHeapSize) ? setting_integer(SettingId::kHeapSize) : 0;
  if (heap > 0)
    OMPTARGET_TRY_DURING(OMPTARGET_CU(cuCtxSetLimit, CU_LIMIT_MALLOC_HEAP_SIZE, static_cast<size_t>(heap)),
                         "while setting %s to %lld", setting_row(SettingId::kHeapSize).variable,
                         static_cast<long long>(heap));
  return Status::ok();
}

Result<uint64_t> Device::free_memory() const {
  size_t free = 0;
  size_t total = 0;
  OMPTARGET_TRY(OMPTARGET_CU(cuMemGetInfo, &free, &total));
  return uint64_t{free};
}

Status Device::release_own() {
  unknown_stack_.store(0, std::memory_order_relaxed);
  peers_.clear();
  return Status::ok();
}

// The driver may let an allocation wait for the kernels that run, and the kernel waits for it.
Result<void *> Device::allocate_for_kernel(uint64_t size) {
  return Status::error(
      format("the host allocates no memory for kernels that run on NVIDIA's GPUs (%llu bytes); a larger "
             "LIBOMPTARGET_HEAP_SIZE gives malloc more",
             static_cast<unsigned long long>(size)));
}

Status Device::wait_for_kernels() { return OMPTARGET_CU(cuCtxSynchronize); }

std::unique_ptr<gpu::Image> Device::make_image(std::unique_ptr<gpu::ImageTarget> target) {
  return std::make_unique<Image>(*this, std::move(target));
}

std::unique_ptr<gpu::StagingBuffer> Device::make_staging_buffer() { return std::make_unique<StagingBuffer>(); }

// ---- What it says of the device

std::string Device::architecture() const { return format("sm_%d", properties_.sm); }

std::string Device::summary() const {
  return format("sm_%d, %d multiprocessors, context %p", properties_.sm, properties_.multiprocessors,
                static_cast<void *>(context_));
}

// An instance that a GPU is split into (MIG) has a UUID of its own, which only the second form of the call tells.
std::string Device::uid() const {
  CUuuid uuid{};
  if (OMPTARGET_CU_RESULT(cuDeviceGetUuid, &uuid, properties_.handle) != CUDA_SUCCESS)
    return {};
  CUuuid own = uuid;
  if (driver().cuDeviceGetUuid_v2 && OMPTARGET_CU_RESULT(cuDeviceGetUuid_v2, &own, properties_.handle) != CUDA_SUCCESS)
    own = uuid;
  const bool is_instance = std::memcmp(&own, &uuid, sizeof(uuid)) != 0;
  uuid = own;
  std::string text = is_instance ? "MIG-" : "GPU-";
  for (size_t i = 0; i < sizeof(uuid.bytes); ++i)
    text += format(i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", uuid.bytes[i]);
  return text;
}

std::string Device::pci_address() const {
  char address[32] = "";
  if (OMPTARGET_CU_RESULT(cuDeviceGetPCIBusId, address, sizeof(address) - 1, properties_.handle) != CUDA_SUCCESS)
    return {};
  std::string text = address;
  // The kernel writes small letters.
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

void Device::describe(__tgt_device_info &info) const {
  info.Context = context_;
  info.Device = reinterpret_cast<void *>(static_cast<intptr_t>(properties_.handle));
}

void Device::print_info() const {
  char name[256] = "";
  size_t memory = 0;
  static_cast<void>(OMPTARGET_CU_RESULT(cuDeviceGetName, name, sizeof(name) - 1, properties_.handle));
  static_cast<void>(OMPTARGET_CU_RESULT(cuDeviceTotalMem, &memory, properties_.handle));
  std::printf("    Device                     %d (%d of the CUDA plugin)\n", number(), id());
  std::printf("    Name                       %s\n", name);
  std::printf("    Architecture               sm_%d\n", properties_.sm);
  std::printf("    PCI bus                    %s\n", pci_address().c_str());
  std::printf("    Driver serves CUDA         %d.%d\n", driver().version / 1000, driver().version % 1000 / 10);
  std::printf("    Memory                     %zu bytes\n", memory);
  std::printf("    Multiprocessors            %d\n", properties_.multiprocessors);
  std::printf("    Warp                       %d threads\n", properties_.warp_size);
  std::printf("    Most threads of a team     %u\n", limits().max_threads);
  std::printf("    Most teams                 %u\n", limits().max_teams);
  std::printf("    Shared memory of a team    %d bytes\n", properties_.shared_memory);
  std::printf("    Managed memory             %s\n", yes_no(properties_.has_managed_memory));
  std::printf("    Reaches pageable memory    %s\n", yes_no(properties_.reaches_pageable_memory));
  std::printf("    Memory of the host         it reaches %s\n", host_memory_access().text);
  std::printf("    Uses mapped data in place  %s\n", yes_no(kernels_use_host_memory() || uses_zero_copy()));
}

} // namespace omptarget::cuda
