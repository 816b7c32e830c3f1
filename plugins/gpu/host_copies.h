// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies from the device to pageable memory that go through a pinned block, since the driver's own would make the
// calling thread wait for everything before them. The second step, from the block to where it belongs, is carried out
// by whoever waits for the stream, or for an event behind the copy.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "common/caching_allocator.h"

namespace omptarget::gpu {

/// One copy, whose device's step is queued.
struct HostCopy {
  void *block; ///< null: nothing is left to do
  void *host;
  size_t size;
  bool is_kept;     ///< the block lies in memory that the stream keeps
  bool is_pageable; ///< known: kernels cannot see whether it has arrived

  /// The device's step is complete: carries out the second one.
  Status finish(CachingAllocator &blocks);
  /// The device's step is not going to be complete.
  Status drop(CachingAllocator &blocks);
  bool overlaps(const void *begin, size_t bytes) const;
};

/// One that an event stands behind, so that several threads may carry it out. Any thread.
class SharedCopy {
public:
  explicit SharedCopy(const HostCopy &copy) : copy_(copy) {}
  Status finish(CachingAllocator &blocks);
  Status drop(CachingAllocator &blocks);
  bool overlaps(const void *begin, size_t bytes) const { return copy_.overlaps(begin, bytes); }
  /// Where it goes to, unless that is known to be pageable.
  const void *unknown_host() const { return copy_.is_pageable ? nullptr : copy_.host; }

private:
  std::mutex mutex_; ///< held while the block is given back
  HostCopy copy_;
};
using SharedCopies = std::vector<std::shared_ptr<SharedCopy>>;

/// Carries all out, in order.
Status finish(CachingAllocator &blocks, const SharedCopies &copies);

/// Pinned memory that a stream keeps for what is small, used from the front until the stream is empty. One thread at
/// a time.
class StreamRoom {
public:
  /// The largest piece.
  static constexpr size_t kSmall = 16 << 10;
  /// A piece of that many bytes, or null if it does not fit. It is gone when the room is emptied.
  Result<void *> take(CachingAllocator &blocks, size_t size) {
    constexpr size_t kAlignment = 64;
    const size_t bytes = (size + kAlignment - 1) / kAlignment * kAlignment;
    if (size > kSmall || bytes > kSize - used_)
      return static_cast<void *>(nullptr);
    if (!memory_) [[unlikely]] {
      OMPTARGET_TRY_ASSIGN(void *const memory, blocks.allocate(kSize));
      memory_ = static_cast<char *>(memory);
    }
    void *const piece = memory_ + used_;
    used_ += bytes;
    return piece;
  }
  void empty() { used_ = 0; }

private:
  static constexpr size_t kSize = 4 * kSmall;
  char *memory_ = nullptr; ///< freed with all of the device's memory
  size_t used_ = 0;        ///< bytes
};

/// The copies that are under way on a stream, its own and those before events that it waits for. One thread at a time.
class HostCopies {
public:
  bool is_empty() const { return own_.empty() && shared_.empty(); }
  void add(const HostCopy &copy) { own_.push_back(copy); }
  /// Those before an event, which what comes next on the stream comes after.
  void add(const SharedCopies &before) { shared_.insert(shared_.end(), before.begin(), before.end()); }
  /// All of them, for an event behind them.
  const SharedCopies &share();
  bool overlaps(const void *host, size_t size) const;
  /// Tells whether kernels may read data that have not arrived; is_pinned(host) tells it of a destination.
  template <typename IsPinned> bool may_be_awaited_by_kernels(IsPinned is_pinned) const {
    for (const auto &copy : shared_)
      if (const void *const host = copy->unknown_host(); host && is_pinned(host))
        return true;
    for (const HostCopy &copy : own_)
      if (!copy.is_pageable && is_pinned(copy.host))
        return true;
    return false;
  }

  /// The stream is empty: carries all out, in order.
  Status finish(CachingAllocator &blocks);
  /// After a failure.
  void drop(CachingAllocator &blocks);

private:
  std::vector<HostCopy> own_;
  SharedCopies shared_;
};

} // namespace omptarget::gpu
