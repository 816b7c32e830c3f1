// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events of a device, pooled. A queue of the plugin ABI is a CUstream, so that interop can give it to the
// program; what else belongs to a stream is kept here beside it.
#pragma once

#include <atomic>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/status.h"
#include "common/device_layouts.h"
#include "common/handle_pool.h"
#include "cuda/cuda_api.h"
#include "omptarget/plugin.h"

namespace omptarget::cuda {

class Device;

/// Device memory for a launch with a reduction over teams: the launch environment, then the buffer. Used by one stream at
/// a time, launch after launch.
struct ReductionBlock {
  static constexpr uint64_t kBufferOffset = 128;
  CUdeviceptr memory;
  uint64_t size; ///< of the buffer
  LaunchEnvironment initial; ///< never changes, so that it may be copied at any time
};

/// Any thread, but one queue by one thread at a time. All functions: context of the device current.
class QueueSet {
public:
  explicit QueueSet(Device &device) : device_(device) {}
  /// Creates what the settings ask for in advance.
  Status init();

  Result<CUstream> take();
  /// The stream is empty.
  void give_back(CUstream stream);
  /// The stream of a queue; takes one if it has none.
  Result<CUstream> stream_of(__tgt_async_info &async);

  /// Waits for the stream, which stays taken.
  Status wait(CUstream stream);
  /// After a wait that failed: waits for everything, since work that is still under way uses memory that its owner gives
  /// up when told of the failure. After a fault of a kernel nothing is under way.
  void settle();
  /// Waits, gives the stream back and empties the queue; interop's queues keep their stream. A queue whose work failed
  /// is emptied, too.
  Status synchronize(__tgt_async_info &async);
  Result<bool> query(__tgt_async_info &async);

  /// Queues for interop: these keep one stream until they are released.
  Result<__tgt_async_info *> create_info();
  Status release_info(__tgt_async_info *info);

  Result<CUevent> create_event();
  void destroy_event(CUevent event) { events_.give_back(event); }

  /// Prepares, on the stream, the launch environment of a kernel with a reduction buffer of this many bytes.
  Result<CUdeviceptr> reduction_environment(CUstream stream, uint64_t buffer_size);

  /// Destroys everything. Nothing is under way.
  Status release_all();

private:
  struct Extra {
    std::vector<std::unique_ptr<ReductionBlock>> blocks; ///< in use until the stream is empty
    bool is_interop = false;
  };
  struct Extras {
    std::unordered_map<CUstream, Extra> streams;
    std::vector<std::unique_ptr<ReductionBlock>> free_blocks;
  };
  Result<CUstream> create_stream();
  Result<CUevent> create_new_event();
  /// The stream is empty: its blocks are free. Whether it belongs to interop.
  bool completed(CUstream stream);
  std::unique_ptr<ReductionBlock> take_block(CUstream stream, uint64_t size);

  Device &device_;
  HandlePool<CUstream> streams_;
  HandlePool<CUevent> events_;
  Guarded<std::vector<CUstream>> all_streams_;
  Guarded<std::vector<CUevent>> all_events_;
  std::atomic<size_t> extras_count_{0}; ///< streams in extras_, so that most calls need no look
  Guarded<Extras> extras_;
};

} // namespace omptarget::cuda
