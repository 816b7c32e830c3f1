// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies from the device to pageable memory that go through a pinned block, since the driver's own would make the calling
// thread wait for everything before them. The second step, from the block to where it belongs, is carried out by whoever
// waits for the stream, or for an event behind the copy.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"

namespace omptarget::cuda {

class Memory;

/// One copy, whose device's step is queued.
struct HostCopy {
  void *block; ///< null: nothing is left to do
  void *host;
  size_t size;
  bool is_kept;     ///< the block lies in memory that the stream keeps
  bool is_pageable; ///< known: kernels cannot see whether it has arrived

  /// The device's step is complete: carries out the second one.
  Status finish(Memory &memory);
  /// The device's step is not going to be complete.
  Status drop(Memory &memory);
  bool overlaps(const void *begin, size_t bytes) const;
};

/// One that an event stands behind, so that several threads may carry it out. Any thread.
class SharedCopy {
public:
  explicit SharedCopy(const HostCopy &copy) : copy_(copy) {}
  Status finish(Memory &memory);
  Status drop(Memory &memory);
  bool overlaps(const void *begin, size_t bytes) const { return copy_.overlaps(begin, bytes); }
  /// Where it goes to, unless that is known to be pageable.
  const void *unknown_host() const { return copy_.is_pageable ? nullptr : copy_.host; }

private:
  std::mutex mutex_; ///< held while the block is given back
  HostCopy copy_;
};
using SharedCopies = std::vector<std::shared_ptr<SharedCopy>>;

/// Carries all out, in order.
Status finish(Memory &memory, const SharedCopies &copies);

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
  /// Whether kernels may read what has not arrived: where it goes to is pinned, or managed.
  bool may_be_awaited_by_kernels(Memory &memory) const;

  /// Memory of the stream's own for a block, or null: a copy of that size does not fit.
  Result<void *> take_block(Memory &memory, size_t size);
  /// The largest copy that can.
  static constexpr size_t kSmall = 16 << 10;

  /// The stream is empty: carries all out, in order.
  Status finish(Memory &memory);
  /// After a failure.
  void drop(Memory &memory);

private:
  static constexpr size_t kRoom = 4 * kSmall;

  std::vector<HostCopy> own_;
  SharedCopies shared_;
  char *room_ = nullptr; ///< pinned; freed with all of the device's memory
  size_t used_ = 0;      ///< bytes of it
};

} // namespace omptarget::cuda
