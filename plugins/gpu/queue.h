// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queues of a device: streams of the driver's, pooled. Events likewise, which are known by a pointer.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/status.h"
#include "gpu/environment.h"
#include "gpu/stream.h"
#include "omptarget/plugin.h"

namespace omptarget::gpu {

class Device;

/// Times of work on the device, in nanoseconds of the host's monotonic clock.
struct Times {
  uint64_t begin;
  uint64_t end;
};

/// Any thread, but one queue by one thread at a time. All functions: inside of a Scope of the device.
class QueueSet {
public:
  virtual ~QueueSet() = default;

  /// The stream of the caller's queue. If the queue has none, and for a caller without, the stream that was used
  /// last, if nobody uses it; otherwise null.
  Stream *stream_at_hand(const Caller &caller) {
    Stream *stream;
    if (caller.async && caller.async->Queue) {
      stream = &stream_at(caller.async->Queue);
    } else {
      stream =
          resting_.load(std::memory_order_relaxed) ? resting_.exchange(nullptr, std::memory_order_acquire) : nullptr;
      if (!stream)
        return nullptr;
      if (caller.async)
        caller.async->Queue = stream;
    }
    stream->thread = caller.thread;
    return stream;
  }
  /// One that nobody uses, for a queue without, or for none.
  Result<Stream *> take_for(const Caller &caller);
  /// Either of these.
  Result<Stream *> stream_for(const Caller &caller) {
    if (Stream *const stream = stream_at_hand(caller))
      return stream;
    return take_for(caller);
  }
  /// Takes a stream back, which is empty. Anybody may take it again.
  void rest(Stream &stream) {
    Stream *none = nullptr;
    if (!resting_.compare_exchange_strong(none, &stream, std::memory_order_release, std::memory_order_relaxed))
      give_back(stream);
  }
  /// Waits for the stream, which stays taken.
  Status wait(Stream &stream);
  /// Waits, gives the stream back and empties the queue; interop's queues keep their stream. A queue whose work failed
  /// is emptied, too.
  Status synchronize(const Caller &caller);
  Result<bool> query(const Caller &caller);

  /// Queues for interop: these keep one stream until they are released.
  Result<__tgt_async_info *> create_info();
  Status release_info(__tgt_async_info *info);

  /// Memory for a launch that needs an environment. The caller gives it back when the launch is complete.
  Result<std::unique_ptr<EnvironmentBlock>> take_environment(const EnvironmentNeed &need);
  void give_back_environment(std::unique_ptr<EnvironmentBlock> block) {
    environments_.lock()->push_back(std::move(block));
  }

  /// Frees the environments that no launch uses.
  Status release_environments();
  /// Destroys everything. Nothing is under way.
  Status release_all();

  // ---- What a driver does

  /// Creates what the settings ask for in advance.
  virtual Status init() = 0;
  /// Takes a stream that nobody uses, or makes one.
  virtual Result<Stream *> take() = 0;
  /// The same for interop: what is put into the stream's native queue is in no other stream's way.
  virtual Result<Stream *> take_for_interop() { return take(); }
  /// Takes a stream back, which is empty and does not rest.
  virtual void give_back(Stream &stream) = 0;

  virtual Result<void *> create_event() = 0;
  /// Returns an event that destroy_event() has kept; null if there is none. Also outside of a Scope.
  virtual void *take_event() = 0;
  /// Ends the event, and keeps it for take_event(). Also outside of a Scope.
  virtual void destroy_event(void *event) = 0;
  virtual Status record(void *event, Stream &stream) = 0;
  /// Lets what is put into the stream from now on wait for the event; does not block.
  virtual Status wait_for(void *event, Stream &stream) = 0;
  /// Blocks until what the event stands behind is complete.
  virtual Status wait_for(void *event) = 0;

  /// Begins to time the queue's work, until stop_timing. Takes a stream if the queue has none.
  virtual Result<void *> start_timing(const Caller &caller) = 0;
  virtual Status stop_timing(Stream &stream, void *timing) = 0;
  /// The timed work is complete. The timing is given back, whatever happens.
  virtual Result<Times> read_timing(void *timing) = 0;
  /// Without reading it, also outside of a Scope.
  virtual void drop_timing(void *timing) = 0;

  /// Has the driver write out what kernels have printed by now, also those that still run.
  virtual Status show_prints() { return Status::ok(); }

protected:
  explicit QueueSet(Device &device) : device_(device) {}

  /// Blocks until the stream is empty.
  virtual Status finish(Stream &stream) = 0;
  /// Returns whether finish() leaves the CPU to others from the start.
  virtual bool sleeps_in_finish() const = 0;
  virtual Result<bool> is_finished(Stream &stream) = 0;
  /// After a wait that failed: the stream is not used again, and what is under way no longer uses the caller's memory.
  virtual void abandon(Stream &stream) = 0;
  /// A stream that has_leftovers is empty: does what is left to do on the host, and what its work used is free.
  virtual Status finished(Stream &) { return Status::ok(); }
  /// Waits for streams that are still taken, and gives back what launches on them use.
  virtual Status finish_all() = 0;
  /// Destroys streams and events.
  virtual Status release_own() = 0;

  Device &device_;

private:
  using InteropStreams = std::unordered_map<void *, Stream *>;

  static Stream &used_by(const Caller &caller, Stream &stream) {
    stream.thread = caller.thread;
    return stream;
  }
  /// The stream of a queue that has one.
  Stream &stream_at(void *queue) {
    return interop_count_.load(std::memory_order_acquire) == 0 ? *static_cast<Stream *>(queue) : find_stream(queue);
  }
  Stream &find_stream(void *queue);
  /// finish(), and meanwhile what kernels ask for.
  Status finish_or_serve(Stream &stream);
  Status finish_serving(Stream &stream);
  Status lost(Stream &stream, Status status);
  /// The stream is empty.
  Status emptied(Stream &stream);
  /// The queue's stream is empty.
  Status completed(__tgt_async_info &async, Stream &stream);

  std::atomic<Stream *> resting_{nullptr};  ///< given back last
  std::atomic<size_t> interop_count_{0};    ///< entries of interop_, so that most calls need no look
  Guarded<InteropStreams> interop_;         ///< by their native queues, which the program gives to the driver
  Guarded<EnvironmentBlocks> environments_; ///< that no launch uses
};

} // namespace omptarget::gpu
