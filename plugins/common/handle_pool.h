// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles of a driver (streams, events, signals) that are given back and taken again instead of destroyed.
#pragma once

#include <atomic>
#include <vector>

#include "base/guarded.h"
#include "base/status.h"

namespace omptarget {

/// Any thread. The owner destroys the handles.
template <typename Handle> class HandlePool {
public:
  /// A handle that was given back, last one first, or the null handle. Takes no lock where one thread at a time uses
  /// one.
  Handle take() {
    if (last_.load(std::memory_order_relaxed))
      if (Handle handle = last_.exchange(Handle{}, std::memory_order_acquire))
        return handle;
    auto handles = handles_.lock();
    if (handles->empty())
      return Handle{};
    Handle handle = handles->back();
    handles->pop_back();
    return handle;
  }

  /// As take(), but if nothing is left, makes one by create(), which returns a Result<Handle>.
  template <typename Create> Result<Handle> take_or(Create create) {
    if (Handle handle = take())
      return handle;
    return make(create);
  }

  /// Makes count handles, which are not taken yet.
  template <typename Create> Status fill(int64_t count, Create create) {
    for (; count > 0; --count) {
      OMPTARGET_TRY_ASSIGN(Handle handle, make(create));
      give_back(handle);
    }
    return Status::ok();
  }

  void give_back(Handle handle) {
    if (Handle before = last_.exchange(handle, std::memory_order_acq_rel))
      handles_.lock()->push_back(before);
  }

  /// All that were made here, also those that are taken.
  std::vector<Handle> all() { return *all_.lock(); }

  /// Returns all that were made here, also those that are taken. Afterwards nothing is left to take.
  std::vector<Handle> take_all() {
    last_.store(Handle{}, std::memory_order_relaxed);
    handles_.lock()->clear();
    std::vector<Handle> all;
    all.swap(*all_.lock());
    return all;
  }

private:
  template <typename Create> Result<Handle> make(Create create) {
    OMPTARGET_TRY_ASSIGN(Handle handle, create());
    all_.lock()->push_back(handle);
    return handle;
  }

  std::atomic<Handle> last_{};           ///< that nobody uses: the one that was given back last, or none
  Guarded<std::vector<Handle>> handles_; ///< the others
  Guarded<std::vector<Handle>> all_;     ///< that were made here
};

} // namespace omptarget
