// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "memory/allocated_memory.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <pthread.h>
#include <utility>

#include "observe/recording_choice.h"

namespace omptarget {

namespace {

struct Allocations {
  std::mutex mutex;
  std::condition_variable recorded;
  std::map<std::pair<DeviceId, DevicePtr>, uint64_t> sizes;
  uint32_t keepers = 0; ///< threads that record
};

void before_fork();
void after_fork();
void after_fork_in_child();

/// Never destroyed: threads may come late.
Allocations &allocations() {
  static auto *const all = [] {
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
    return new Allocations;
  }();
  return *all;
}

void before_fork() { allocations().mutex.lock(); }
void after_fork() { allocations().mutex.unlock(); }
/// Threads that recorded are not there.
void after_fork_in_child() {
  allocations().keepers = 0;
  after_fork();
}

} // namespace

void note_allocated(DeviceId device, void *memory, uint64_t size) {
  if (!observe::has_recording())
    return;
  Allocations &all = allocations();
  std::lock_guard lock(all.mutex);
  all.sizes[{device, device_ptr(memory)}] = size;
}

void forget_allocated(DeviceId device, void *memory) {
  if (!observe::has_recording())
    return;
  Allocations &all = allocations();
  std::unique_lock lock(all.mutex);
  all.recorded.wait(lock, [&] { return all.keepers == 0; });
  all.sizes.erase({device, device_ptr(memory)});
}

KeptAllocations::KeptAllocations() {
  Allocations &all = allocations();
  std::lock_guard lock(all.mutex);
  ++all.keepers;
}

KeptAllocations::~KeptAllocations() {
  Allocations &all = allocations();
  std::lock_guard lock(all.mutex);
  if (all.keepers != 0) // 0 in the child of a fork
    --all.keepers;
  all.recorded.notify_all();
}

std::vector<AllocatedRange> KeptAllocations::of(DeviceId device) const {
  std::vector<AllocatedRange> ranges;
  Allocations &all = allocations();
  std::lock_guard lock(all.mutex);
  for (const auto &[place, size] : all.sizes)
    if (place.first == device)
      ranges.push_back({place.second, size});
  return ranges;
}

} // namespace omptarget
