// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The HSA queues of a device, into which packets are written: kernels, and barriers that make them wait for signals.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "amdgpu/signal.h"
#include "base/status.h"

namespace omptarget::amdgpu {

/// One queue. Packets run in the order in which they are written: each waits for those before it. Any thread.
class HardwareQueue {
public:
  explicit HardwareQueue(Device &device) : device_(device) {}
  Status create(uint32_t packets);
  bool exists() const { return queue_.load(std::memory_order_acquire) != nullptr; }
  hsa_queue_t *handle() const { return queue_.load(std::memory_order_acquire); }

  /// Writes a kernel's packet, complete but for the header, which starts when the signals are 0.
  Status dispatch(std::span<const hsa_signal_t> dependencies, const hsa_kernel_dispatch_packet_t &packet);
  /// A barrier whose signal completes when all packets before it are complete, and the signals are 0.
  Status barrier(std::span<const hsa_signal_t> dependencies, const SignalRef &completion);
  /// From now on kernels leave their times in their signals.
  Status keep_times();
  Status destroy();

  std::atomic<uint32_t> streams{0}; ///< that use it now

private:
  static constexpr size_t kSignalsOfBarrier = 5;
  /// Writes a packet of any kind, and before it what makes it wait for the signals.
  Status write(std::span<const hsa_signal_t> dependencies, const void *packet, uint16_t header, uint16_t setup);
  /// The index of the first of so many packets in a row. mutex_ held.
  Result<uint64_t> reserve(uint64_t packets);
  void publish(uint64_t index, const void *packet, uint16_t header, uint16_t setup);
  void ring(uint64_t index);

  Device &device_;
  std::mutex mutex_; ///< guards writing
  bool keeps_times_ = false;
  uint64_t seen_ = 0; ///< packets that the device was seen to have begun
  std::atomic<hsa_queue_t *> queue_{nullptr};
};

/// The queues of a device, created as they are needed. Any thread.
class HardwareQueueSet {
public:
  explicit HardwareQueueSet(Device &device) : device_(device) {}
  /// Reads LIBOMPTARGET_AMDGPU_NUM_HSA_QUEUES, _HSA_QUEUE_SIZE and _HSA_QUEUE_BUSY_TRACKING; creates the first ones.
  Status init(uint32_t most, uint32_t least_packets, uint32_t most_packets, uint32_t initial);
  /// A queue for a stream: one that no stream uses, if there is one, otherwise that of the fewest; without busy
  /// tracking, one after the other. Give it back when the stream is empty.
  Result<HardwareQueue *> take();
  /// A queue that no other stream gets until it is given back.
  Result<HardwareQueue *> take_alone();
  void give_back(HardwareQueue &queue) { queue.streams.fetch_sub(1, std::memory_order_relaxed); }
  /// Waits until all packets written so far are complete, but for those in queues taken alone: the program writes
  /// these.
  Status wait_for_all();
  Status release_all();

private:
  Device &device_;
  uint32_t packets_ = 0;
  bool tracks_use_ = true;
  std::mutex mutex_; ///< guards choosing and creating
  uint32_t next_ = 0;
  std::vector<std::unique_ptr<HardwareQueue>> queues_; ///< never changes after init
  std::vector<std::unique_ptr<HardwareQueue>> alone_;  ///< those that were taken alone, also idle ones
};

} // namespace omptarget::amdgpu
