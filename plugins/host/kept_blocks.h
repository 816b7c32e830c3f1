// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large blocks of device memory, which are kept for a while when they are freed: the system gives fresh pages by a
// fault each. A thread gives back what nobody needed for LIBOMPTARGET_MEMORY_MANAGER_IDLE seconds.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

#include "common/caching_allocator.h"

namespace omptarget::host {

/// Never destroyed. Any thread.
class KeptBlocks {
public:
  /// The source outlives it. Reads the settings of kept memory.
  explicit KeptBlocks(MemorySource &source);
  KeptBlocks(const KeptBlocks &) = delete;
  KeptBlocks &operator=(const KeptBlocks &) = delete;

  /// At least size bytes, or null. Nothing is kept any more when there is none.
  void *allocate(size_t size);
  /// Returns false, and has done nothing, if the address is none of its blocks in use.
  bool release(void *block);
  /// Gives back all that is kept.
  void trim() { allocator_.trim().consume(); }

  std::mutex &mutex_for_fork() { return allocator_.mutex_for_fork(); }
  /// In the child of a fork the thread is not there.
  void forget_thread() { has_thread_.store(false, std::memory_order_relaxed); }

private:
  void start_thread();
  void give_back_until_empty();

  CachingAllocator allocator_;
  uint64_t check_ns_ = 0;               ///< from one look at what is kept to the next; 0: nobody looks
  std::atomic<bool> has_thread_{false}; ///< the one that gives back
};

/// Returns false where freed memory is to be found by the user's tools, so that none is kept: LIBOMPTARGET_CHECK,
/// OFFLOAD_TRACK_ALLOCATION_TRACES, sanitizers, valgrind. Any thread.
bool may_keep_memory();

} // namespace omptarget::host
