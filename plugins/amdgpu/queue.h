// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events of a device, pooled. A queue of the plugin ABI is a Stream, whose first member is the HSA queue that
// its kernels go to, so that interop can give it to the program.
#pragma once

#include <memory>
#include <vector>

#include "amdgpu/hardware_queue.h"
#include "amdgpu/stream.h"
#include "base/guarded.h"
#include "base/status.h"
#include "common/handle_pool.h"
#include "omptarget/plugin.h"

namespace omptarget::amdgpu {

class Device;
struct DeviceProperties;

/// Any thread, but one queue by one thread at a time.
class QueueSet {
public:
  explicit QueueSet(Device &device) : device_(device), hardware_(device) {}
  /// Creates what the settings ask for in advance.
  Status init(const DeviceProperties &properties);

  Result<Stream *> take();
  /// The stream is empty.
  void give_back(Stream *stream);
  /// The stream of a queue; takes one if it has none.
  Result<Stream *> stream_of(__tgt_async_info &async);

  /// Waits for the stream, which stays taken.
  Status wait(Stream *stream);
  /// Waits, gives the stream back and empties the queue; interop's queues keep their stream. A queue whose work failed
  /// is emptied, too.
  Status synchronize(__tgt_async_info &async);
  Result<bool> query(__tgt_async_info &async);

  /// Queues for interop: these keep one stream until they are released.
  Result<__tgt_async_info *> create_info();
  Status release_info(__tgt_async_info *info);

  Event *create_event();
  void destroy_event(Event *event);
  Status wait_for(Event &event);

  /// Memory for a launch with a reduction buffer of this many bytes, and back.
  Result<std::unique_ptr<ReductionBlock>> take_reduction(uint64_t size);
  void give_back_reduction(std::unique_ptr<ReductionBlock> block) { reductions_.lock()->push_back(std::move(block)); }

  /// Waits until all kernels launched so far are complete.
  Status wait_for_kernels() { return hardware_.wait_for_all(); }
  /// Destroys everything. Nothing is under way.
  Status release_all();

private:
  /// The stream is empty. Whether it belongs to interop.
  bool completed(Stream *stream);
  /// After a failure: the stream is not used again.
  Status lost(Stream *stream, Status status);

  Device &device_;
  HardwareQueueSet hardware_;
  HandlePool<Stream *> streams_;
  HandlePool<Event *> events_;
  Guarded<std::vector<std::unique_ptr<Stream>>> all_streams_;
  Guarded<std::vector<std::unique_ptr<Event>>> all_events_;
  Guarded<std::vector<std::unique_ptr<ReductionBlock>>> reductions_;
};

} // namespace omptarget::amdgpu
