// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work in order: kernels in an HSA queue and copies by the copy engines, chained by signals, with what each operation
// uses until it is complete. HSA has no such thing of its own.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "amdgpu/hardware_queue.h"
#include "amdgpu/signal.h"
#include "base/status.h"
#include "gpu/queue.h"
#include "gpu/stream.h"

namespace omptarget::amdgpu {

/// The last step of a copy from the device to pageable memory: from the pinned block to where it belongs. The thread
/// that needs the data first carries it out. Any thread.
class HostCopy {
public:
  HostCopy(Device &device, SignalRef signal, void *block, void *host, size_t size)
      : device_(device), signal_(std::move(signal)), block_(block), host_(host), size_(size) {}
  /// Waits for the device's step, then does this one, if nobody did.
  Status finish();
  bool overlaps(const void *host, size_t size) const {
    const char *begin = static_cast<const char *>(host);
    const char *mine = static_cast<const char *>(host_);
    return begin < mine + size_ && mine < begin + size;
  }

private:
  Device &device_;
  std::mutex mutex_;
  SignalRef signal_;
  void *block_;
  void *host_;
  size_t size_;
};
using HostCopies = std::vector<std::shared_ptr<HostCopy>>;

/// What an operation uses until it is complete.
struct Attachments {
  void *block = nullptr;  ///< pinned memory of ours: a kernel's arguments, or what is copied
  void *locked = nullptr; ///< host memory that was pinned for it
  std::unique_ptr<gpu::EnvironmentBlock> environment;
};

/// The operations that are timed, until their times are read.
struct Timing {
  struct Operation {
    SignalRef signal; ///< kept from being used again, since it holds the times
    bool is_kernel;
  };
  std::vector<Operation> operations;
};
/// What the system's timestamps and the host's clock said at the same moment. Times that are read by the same reference are in order.
struct ClockReference {
  uint64_t ticks = 0;
  uint64_t host_ns = 0;
};
/// Reads both, if the reference is old: clocks drift.
Status renew(ClockReference &reference);
/// From the first begin to the last end. All are complete; agent is the device's.
Result<gpu::Times> read_times(const Timing &timing, hsa_agent_t agent, const ClockReference &reference);

/// Where an event stands. Shared between threads by its mutex.
struct Event {
  std::mutex mutex;
  std::vector<SignalRef> signals;
  HostCopies copies;
};

/// A stream. One thread at a time, except for what events took from it. What is native of it is the HSA queue that its kernels go to.
class Stream : public gpu::Stream {
public:
  explicit Stream(Device &device) : device_(device) {}
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  HardwareQueue *queue = nullptr; ///< while it is taken from the pool

  /// Writes the kernel's packet, complete but for header and signal. Takes over the attachments, also on failure.
  Status launch(hsa_kernel_dispatch_packet_t packet, Attachments attachments);
  struct Copy {
    void *destination;
    hsa_agent_t destination_agent;
    const void *source;
    hsa_agent_t source_agent;
    size_t size;
  };
  /// Both ends are reachable by both agents. Takes over the attachments, also on failure.
  Status copy(const Copy &copy, Attachments attachments);
  /// Copies to pageable memory through a pinned block; takes over the block.
  Status copy_out(const Copy &to_block, void *block, void *host);

  /// The signal of what was added last.
  const SignalRef &last() const { return last_; }

  /// Waits for copies to this host memory that were begun before and are not complete.
  Status settle(const void *host, size_t size);
  Status wait();
  /// Whether all is complete; then as after wait().
  Result<bool> query();
  void record(Event &event);
  void wait_for(Event &event);
  /// Operations that are added from now on are noted there; null: nowhere.
  void set_timing(Timing *timing) { timing_ = timing; }
  /// Forgets everything, after the device was lost.
  void abandon();

private:
  struct Operation {
    SignalRef signal;
    std::vector<SignalRef> dependencies; ///< not used again before the operation has looked at them
    Attachments attachments;
    std::shared_ptr<HostCopy> host_copy;
  };
  /// What the next operation waits for; a kernel behind a kernel of the same queue waits without a signal.
  std::vector<SignalRef> dependencies_for(bool is_kernel) const;
  /// Begins an operation by start(operation), and keeps it if that succeeds.
  template <typename Start> Status add(bool is_kernel, Attachments attachments, Start start);
  void added(Operation operation, bool is_kernel);
  Status release(Attachments &attachments);
  Status retire_front();
  Status retire_complete();

  Device &device_;
  std::deque<Operation> operations_; ///< not known to be complete, oldest first
  SignalRef last_;
  bool last_is_kernel_ = false;
  std::vector<SignalRef> awaited_; ///< events that the next operation waits for
  Timing *timing_ = nullptr;
  HostCopies host_copies_; ///< begun before, own and those of events
};

} // namespace omptarget::amdgpu
