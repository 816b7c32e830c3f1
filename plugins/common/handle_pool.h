// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles of a driver (streams, events, signals) that are given back and taken again instead of destroyed.
#pragma once

#include <vector>

#include "base/guarded.h"

namespace omptarget {

/// Any thread. Creating and destroying is up to the owner: take() tells when nothing is left.
template <typename Handle> class HandlePool {
public:
  /// A handle that was given back, last one first, or the null handle.
  Handle take() {
    auto handles = handles_.lock();
    if (handles->empty())
      return Handle{};
    Handle handle = handles->back();
    handles->pop_back();
    return handle;
  }

  void give_back(Handle handle) { handles_.lock()->push_back(handle); }

  std::vector<Handle> take_all() {
    auto handles = handles_.lock();
    std::vector<Handle> all;
    all.swap(*handles);
    return all;
  }

private:
  Guarded<std::vector<Handle>> handles_;
};

} // namespace omptarget
