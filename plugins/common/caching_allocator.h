// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps freed device memory for the next allocation of its size class, since drivers take microseconds to milliseconds
// for each and some stop the device to free. Knows sizes and addresses only, never touches the memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/status.h"
#include "common/size_classes.h"
#include "omptarget/plugin.h"

namespace omptarget {

/// Where an allocator gets its memory from. Any thread.
class MemorySource {
public:
  virtual ~MemorySource() = default;
  virtual Result<void *> allocate(size_t size) = 0;
  virtual Status release(void *memory) = 0;
};

struct AllocatorStatistics {
  uint64_t allocations = 0; ///< asked for
  uint64_t reused = 0;      ///< part of these that kept memory served
  uint64_t source_allocations = 0;
  uint64_t kept_bytes = 0; ///< now
  uint64_t used_bytes = 0; ///< now, in use by the program
  uint64_t most_used_bytes = 0;
};

/// For __tgt_rtl_memory_statistics: no more than the caller's record has room for. False if that is not even its size.
bool copy_statistics(const AllocatorStatistics &from, __tgt_memory_statistics *to);
/// Traces them: the device ends.
void trace_statistics(int32_t device_number, const AllocatorStatistics &statistics);

/// The settings of kept memory: LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD, _LIMIT and _IDLE.
struct KeptMemorySettings {
  size_t threshold; ///< bytes of the largest block that is kept
  size_t limit;     ///< bytes in all
  uint64_t idle_ns; ///< 0: for ever
};
/// free: bytes that nobody uses.
KeptMemorySettings read_kept_memory_settings(uint64_t free);

/// Blocks have the sizes of size_classes.h. Any thread. Releasing an address that did not come from here is an error.
class CachingAllocator {
public:
  /// Blocks of up to threshold bytes are kept, up to limit bytes in all. The source outlives the allocator.
  CachingAllocator(MemorySource &source, size_t threshold, size_t limit);

  /// At least size bytes, aligned as the source aligns. If the source has no more, kept memory is given back first.
  Result<void *> allocate(size_t size);
  Status release(void *memory);
  /// As allocate() and release() where the source is not needed: null, or false and nothing done, if it is.
  void *try_allocate(size_t size);
  bool try_release(void *memory);
  /// Returns whether the block came from here and is in use.
  bool owns(void *memory);
  /// Gives all kept memory back to the source.
  Status trim();
  /// Gives memory back that was kept for so long and not needed meanwhile, when memory is next released; 0: never. To
  /// be called before the first allocation. now: a clock in nanoseconds.
  void give_back_after(uint64_t idle_ns, uint64_t (*now)() = coarse_now);
  /// The same now.
  Status give_back_unneeded() { return release_to_source(take_unneeded()); }
  /// Gives back everything, also what the program never released.
  Status release_all();

  AllocatorStatistics statistics();
  std::mutex &mutex_for_fork() { return state_.mutex_for_fork(); }

private:
  struct Block {
    size_t size;
    bool is_kept;
  };
  struct State {
    std::unordered_map<void *, Block> blocks; ///< everything that the source gave and did not get back
    std::array<std::vector<void *>, kSizeClasses> kept;
    std::array<size_t, kSizeClasses> unneeded{}; ///< part of these that nobody needed since the last check
    uint64_t next_check = 0;                     ///< time of the next one
    AllocatorStatistics statistics;
  };
  static void count_use(AllocatorStatistics &statistics, size_t bytes);
  bool may_keep(size_t size) const { return size <= threshold_ && threshold_ != 0 && class_size(size) <= limit_; }
  std::vector<void *> take_all_kept();
  static uint64_t coarse_now();
  bool is_check_due(const State &state) const { return idle_ns_ != 0 && now_() >= state.next_check; }
  std::vector<void *> take_unneeded();
  Status release_to_source(const std::vector<void *> &memory);

  MemorySource &source_;
  size_t threshold_;
  size_t limit_;
  uint64_t idle_ns_ = 0;
  uint64_t (*now_)() = coarse_now;
  Guarded<State> state_; ///< never held across a call to the source
};

} // namespace omptarget
