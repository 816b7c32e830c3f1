// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/hardware_queue.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sched.h>

#include "amdgpu/device.h"
#include "amdgpu/driver.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/uncancelled.h"

namespace omptarget::amdgpu {

namespace {

constexpr size_t kPacketSize = 64;

// Each packet waits for those before it. Kernels see what the host and the copy engines wrote, and these see what
// kernels wrote: both fences have the scope of the system.
constexpr uint16_t header_of(int type, int acquire, int release) {
  return static_cast<uint16_t>(type << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
                               acquire << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                               release << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}
constexpr uint16_t kKernelHeader =
    header_of(HSA_PACKET_TYPE_KERNEL_DISPATCH, HSA_FENCE_SCOPE_SYSTEM, HSA_FENCE_SCOPE_SYSTEM);
constexpr uint16_t kWaitHeader = header_of(HSA_PACKET_TYPE_BARRIER_AND, HSA_FENCE_SCOPE_NONE, HSA_FENCE_SCOPE_NONE);
constexpr uint16_t kBarrierHeader =
    header_of(HSA_PACKET_TYPE_BARRIER_AND, HSA_FENCE_SCOPE_NONE, HSA_FENCE_SCOPE_SYSTEM);

void on_queue_error(hsa_status_t status, hsa_queue_t *, void *data) {
  if (status != HSA_STATUS_SUCCESS)
    static_cast<Device *>(data)->lose(amdgpu::describe(status));
}

} // namespace

Status HardwareQueue::create(uint32_t packets) {
  hsa_queue_t *queue = nullptr;
  OMPTARGET_TRY_DURING(OMPTARGET_HSA(hsa_queue_create, device_.agent(), packets, HSA_QUEUE_TYPE_MULTI, on_queue_error,
                                     &device_, UINT32_MAX, UINT32_MAX, &queue),
                       "while creating a queue of %u packets", packets);
  queue_.store(queue, std::memory_order_release);
  OMPTARGET_TRACE_DEVICE(Topic::kDevice, device_.number(), "created HSA queue %p of %u packets",
                         static_cast<void *>(queue), queue->size);
  return Status::ok();
}

Status HardwareQueue::keep_times() {
  const Uncancelled uncancelled;
  const std::lock_guard lock(mutex_);
  if (keeps_times_)
    return Status::ok();
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_amd_profiling_set_profiler_enabled, handle(), 1));
  keeps_times_ = true;
  return Status::ok();
}

Status HardwareQueue::destroy() {
  keeps_times_ = false;
  seen_ = 0;
  hsa_queue_t *queue = queue_.exchange(nullptr, std::memory_order_acq_rel);
  return queue ? OMPTARGET_HSA(hsa_queue_destroy, queue) : Status::ok();
}

// Nobody else writes while mutex_ is held, and the device only makes room.
Result<uint64_t> HardwareQueue::reserve(uint64_t packets) {
  const hsa_queue_t *queue = handle();
  const uint64_t index = OMPTARGET_HSA_RESULT(hsa_queue_add_write_index_relaxed, queue, packets);
  while (index + packets - seen_ > queue->size) {
    seen_ = OMPTARGET_HSA_RESULT(hsa_queue_load_read_index_scacquire, queue);
    if (index + packets - seen_ <= queue->size)
      break;
    if (device_.fault().happened())
      return Status::error(device_.fault().text());
    sched_yield();
  }
  return index;
}

// The device looks at a packet when its header is no longer invalid, so the header comes last.
void HardwareQueue::publish(uint64_t index, const void *packet, uint16_t header, uint16_t setup) {
  const hsa_queue_t *queue = handle();
  char *slot = static_cast<char *>(queue->base_address) + (index & (queue->size - 1)) * kPacketSize;
  std::memcpy(slot + sizeof(uint32_t), static_cast<const char *>(packet) + sizeof(uint32_t),
              kPacketSize - sizeof(uint32_t));
  const uint32_t first = uint32_t{header} | uint32_t{setup} << 16;
  __atomic_store_n(reinterpret_cast<uint32_t *>(slot), first, __ATOMIC_RELEASE);
}

void HardwareQueue::ring(uint64_t index) {
  OMPTARGET_HSA_RESULT(hsa_signal_store_screlease, handle()->doorbell_signal, static_cast<hsa_signal_value_t>(index));
}

Status HardwareQueue::write(std::span<const hsa_signal_t> dependencies, const void *packet, uint16_t header,
                            uint16_t setup) {
  const size_t barriers = (dependencies.size() + kSignalsOfBarrier - 1) / kSignalsOfBarrier;
  if (barriers + 1 > handle()->size)
    return Status::error(
        format("%zu signals to wait for are too many for a queue of %u packets", dependencies.size(), handle()->size));
  const std::lock_guard lock(mutex_);
  OMPTARGET_TRY_ASSIGN(const uint64_t index, reserve(barriers + 1));
  for (size_t i = 0; i < barriers; ++i) {
    hsa_barrier_and_packet_t barrier{};
    const size_t first = i * kSignalsOfBarrier;
    for (size_t j = first; j < std::min(dependencies.size(), first + kSignalsOfBarrier); ++j)
      barrier.dep_signal[j - first] = dependencies[j];
    publish(index + i, &barrier, kWaitHeader, 0);
  }
  publish(index + barriers, packet, header, setup);
  ring(index + barriers);
  return Status::ok();
}

Status HardwareQueue::dispatch(std::span<const hsa_signal_t> dependencies, const hsa_kernel_dispatch_packet_t &packet) {
  return write(dependencies, &packet, kKernelHeader, packet.setup);
}

Status HardwareQueue::barrier(std::span<const hsa_signal_t> dependencies, const SignalRef &completion) {
  hsa_barrier_and_packet_t barrier{};
  barrier.completion_signal = completion.handle();
  return write(dependencies, &barrier, kBarrierHeader, 0);
}

Status HardwareQueueSet::init(uint32_t most, uint32_t least_packets, uint32_t most_packets, uint32_t initial) {
  most_packets = std::max(2u, most_packets);
  const int64_t count = setting_in(SettingId::kAmdgpuNumHsaQueues, 1, 1024);
  const int64_t packets = setting_in(SettingId::kAmdgpuHsaQueueSize, 1, INT32_MAX);
  packets_ =
      std::clamp(std::bit_ceil(static_cast<uint32_t>(packets)), std::min(least_packets, most_packets), most_packets);
  tracks_use_ = setting_flag(SettingId::kAmdgpuHsaQueueBusyTracking);
  const uint32_t queues = std::min(static_cast<uint32_t>(count), std::max(1u, most));
  for (uint32_t i = 0; i < queues; ++i)
    queues_.push_back(std::make_unique<HardwareQueue>(device_));
  for (uint32_t i = 0; i < std::min(queues, initial); ++i)
    OMPTARGET_TRY(queues_[i]->create(packets_));
  return Status::ok();
}

Result<HardwareQueue *> HardwareQueueSet::take() {
  const std::lock_guard lock(mutex_);
  HardwareQueue *queue = queues_[next_++ % queues_.size()].get();
  if (tracks_use_) {
    // One that exists and is idle, then one that is idle, then the least used.
    const auto cost = [](const auto &one) {
      return one->streams.load(std::memory_order_relaxed) * 2 + (one->exists() ? 0 : 1);
    };
    queue = std::min_element(queues_.begin(), queues_.end(), [&](const auto &a, const auto &b) {
              return cost(a) < cost(b);
            })->get();
  }
  if (!queue->exists())
    OMPTARGET_TRY(queue->create(packets_));
  queue->streams.fetch_add(1, std::memory_order_relaxed);
  return queue;
}

Result<HardwareQueue *> HardwareQueueSet::take_alone() {
  const std::lock_guard lock(mutex_);
  const auto idle = std::find_if(alone_.begin(), alone_.end(),
                                 [](const auto &queue) { return queue->streams.load(std::memory_order_relaxed) == 0; });
  HardwareQueue *queue = idle == alone_.end() ? nullptr : idle->get();
  if (!queue) {
    auto made = std::make_unique<HardwareQueue>(device_);
    OMPTARGET_TRY(made->create(packets_));
    queue = made.get();
    alone_.push_back(std::move(made));
  }
  queue->streams.fetch_add(1, std::memory_order_relaxed);
  return queue;
}

Status HardwareQueueSet::wait_for_all() {
  for (const auto &queue : queues_) {
    if (!queue->exists())
      continue;
    OMPTARGET_TRY_ASSIGN(const SignalRef signal, device_.signals().take());
    OMPTARGET_TRY(queue->barrier({}, signal));
    OMPTARGET_TRY(device_.signals().wait(signal));
  }
  return Status::ok();
}

Status HardwareQueueSet::release_all() {
  Status status;
  for (const auto *queues : {&queues_, &alone_})
    for (const auto &queue : *queues)
      status.keep_first(queue->destroy());
  queues_.clear();
  alone_.clear();
  return status;
}

} // namespace omptarget::amdgpu
