// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies from the device to pageable memory that go through a pinned block, since the driver's own would make the calling
// thread wait for everything before them. The second step, from the block to where it belongs, is carried out by whoever
// waits for the stream, or for an event behind the copy.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/status.h"
#include "cuda/cuda_api.h"

namespace omptarget::cuda {

class Memory;

/// Any thread.
class HostCopy {
public:
  HostCopy(Memory &memory, void *block, void *host, size_t size)
      : memory_(memory), block_(block), host_(host), size_(size) {}
  /// The device's step is complete: carries out the second one, if nobody did. Its lock is held while the block is given back.
  Status finish();
  /// The device's step is not going to be complete.
  Status drop();
  bool overlaps(const void *host, size_t size) const {
    const char *begin = static_cast<const char *>(host);
    const char *mine = static_cast<const char *>(host_);
    return begin < mine + size_ && mine < begin + size;
  }

private:
  Memory &memory_;
  std::mutex mutex_;
  void *block_; ///< null: nothing is left to do
  void *const host_;
  const size_t size_;
};
using Copies = std::vector<std::shared_ptr<HostCopy>>;

/// Carries all out, in order.
Status finish(const Copies &copies);

/// Which copies are under way on which stream and before which event. Any thread.
class HostCopies {
public:
  void add(CUstream stream, std::shared_ptr<HostCopy> copy);
  /// The event stands behind what is on the stream.
  void record(CUevent event, CUstream stream);
  /// What comes next on the stream comes after the event.
  void wait_for(CUevent event, CUstream stream);
  bool overlaps(CUstream stream, const void *host, size_t size);
  Copies before(CUevent event);
  void forget(CUevent event);
  /// Those of the stream, which then has none.
  Copies take(CUstream stream);
  Copies take_all();

private:
  struct State {
    std::unordered_map<CUstream, Copies> streams;
    std::unordered_map<CUevent, Copies> events;
  };
  bool is_empty() const { return count_.load(std::memory_order_acquire) == 0; }
  void count(const State &state) {
    count_.store(state.streams.size() + state.events.size(), std::memory_order_release);
  }

  std::atomic<size_t> count_{0}; ///< of streams and events that have some, so that most calls need no look
  Guarded<State> state_;
};

} // namespace omptarget::cuda
