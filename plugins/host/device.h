// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices of this plugin: the same CPU several times, each with images and globals of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/guarded.h"
#include "base/status.h"
#include "common/allocation_traces.h"
#include "host/domain_memory.h"
#include "host/domain_threads.h"
#include "host/function_map.h"
#include "host/image.h"

namespace omptarget::host {

inline constexpr int32_t kMostDevices = 256;

struct DeviceDomain;

namespace internal {
extern std::atomic<int32_t> device_count; ///< 0: not read yet
extern std::atomic<DeviceDomain *const *>
    domains; ///< one for each device; null if they are no domains. Set before the count
extern std::atomic<AllocationTraces *> allocation_traces;
int32_t read_device_count();
} // namespace internal

/// State of a device that is a NUMA domain.
struct DeviceDomain {
  explicit DeviceDomain(NumaDomain read) : domain(std::move(read)), memory(domain), threads(domain) {}
  const NumaDomain domain;
  /// In the child of a fork.
  void forget_threads() {
    threads.forget();
    if (KeptBlocks *kept = memory.kept())
      kept->forget_thread();
  }
  DomainMemory memory;
  DomainThreads threads;
};

/// Number of devices: LIBOMPTARGET_HOST_DEVICES. The same as long as the process lives. Any thread.
inline int32_t device_count() {
  const int32_t count = internal::device_count.load(std::memory_order_relaxed);
  return count != 0 ? count : internal::read_device_count();
}

/// The domain that the device is; null if devices are none (LIBOMPTARGET_HOST_DEVICES is a number). device is valid.
/// Any thread.
inline DeviceDomain *domain_of(int32_t device) {
  DeviceDomain *const *const all = internal::domains.load(std::memory_order_acquire);
  return all ? all[device] : nullptr;
}

/// Makes what remembers where memory was allocated and freed, if a setting asks for it. While nobody forks.
void prepare_allocation_traces();
/// That of all devices, whose addresses are the same memory; null if nothing is remembered. Any thread.
inline AllocationTraces *allocation_traces() { return internal::allocation_traces.load(std::memory_order_acquire); }

/// The images on one device. Guarded by its lock.
struct DeviceState {
  explicit DeviceState(int32_t device) : functions(device) {}
  std::vector<std::unique_ptr<LoadedImage>> images;
  FunctionMap functions;
};

/// The device's state, which lives until the end of the process. device is valid.
Guarded<DeviceState> &device_state(int32_t device);

} // namespace omptarget::host
