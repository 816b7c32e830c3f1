// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work in order: kernels in an HSA queue and copies by the copy engines, chained by signals, with what each operation
// uses until it is complete. HSA has no such thing of its own.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "amdgpu/hardware_queue.h"
#include "amdgpu/signal.h"
#include "base/status.h"
#include "gpu/host_copies.h"
#include "gpu/queue.h"
#include "gpu/stream.h"

namespace omptarget::amdgpu {

/// Resources that an operation uses until it is complete.
struct Attachments {
  void *block =
      nullptr; ///< pinned memory of ours that the stream does not keep: a kernel's arguments, or what is copied
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
/// The system's timestamp and the host's clock at the same moment. Times by the same reference are in order.
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
  gpu::SharedCopies copies;
};

/// A stream. One thread at a time, except for what events took from it. Its native handle is the HSA queue of its
/// kernels.
class Stream : public gpu::Stream {
public:
  explicit Stream(Device &device) : device_(device) {}
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  HardwareQueue *queue = nullptr; ///< while it is taken from the pool
  gpu::StreamRoom room;           ///< room for small blocks
  gpu::HostCopies copies;         ///< begun before, own and those of events

  /// Writes the kernel's packet, complete but for header and signal. Takes over the attachments, also on failure.
  Status launch(hsa_kernel_dispatch_packet_t &packet, Attachments &&attachments);
  struct Copy {
    void *destination;
    hsa_agent_t destination_agent;
    const void *source;
    hsa_agent_t source_agent;
    size_t size;
  };
  /// Both ends are reachable by both agents. Takes over the attachments, also on failure.
  Status copy(const Copy &copy, Attachments &&attachments);
  /// Complete when all packets are that are in the queue now, those that the program wrote, too.
  Status add_barrier();
  /// The same, unless such a barrier is not known to be complete yet: for a thread that asks again and again.
  Status add_barrier_to_ask();
  /// A copy to the host has been added that the device writes to where it belongs.
  void note_host_is_written() { may_write_host_ = true; }
  /// Tells whether something is under way that may write host memory.
  bool may_write_host() const { return may_write_host_ || has_kernels; }

  /// The signal of what was added last.
  const SignalRef &last() const { return last_; }

  /// Waits if copies to this host memory are under way.
  Status settle(const void *host, size_t size) { return copies.overlaps(host, size) ? wait() : Status::ok(); }
  Status wait();
  /// Returns whether all is complete; then as after wait().
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
    SignalRef behind;              ///< the operation before: not used again before this one has looked at it
    std::vector<SignalRef> events; ///< likewise
    Attachments attachments;
  };
  class Dependencies;
  /// Begins an operation by start(operation, signals that it waits for), and keeps it if that succeeds. A kernel
  /// behind a kernel of the same queue waits without a signal.
  template <typename Start> Status add(bool is_kernel, Attachments &&attachments, Start start);
  Result<SignalRef> take_signal();
  Status release(Attachments &attachments);
  Status retire(Operation &operation);
  Status retire_complete();
  Status emptied();

  Device &device_;
  std::vector<Operation> operations_; ///< not known to be complete, from first_ on, oldest first
  size_t first_ = 0;
  SignalRef last_;
  bool last_is_kernel_ = false;
  bool may_write_host_ = false;
  bool has_barrier_ = false; ///< of add_barrier_to_ask
  std::vector<SignalRef> awaited_; ///< events that the next operation waits for
  std::vector<SignalRef> spare_;   ///< that nothing else refers to
  Timing *timing_ = nullptr;
};

} // namespace omptarget::amdgpu
