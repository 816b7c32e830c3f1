// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The event after which data have arrived that a construct copies to the device.
#pragma once

#include <atomic>
#include <cstdint>

namespace omptarget {

/// It is never given back to the system while its device may be used. A thread that finds it in a mapping counts itself
/// as a user before it knows whether the mapping is still arriving. An arrival without users is nobody's.
class Arrival {
public:
  void *event = nullptr; ///< the plugin's; changed while there is no user

  /// Its owner calls this: it has one user now.
  void begin() { users_.store(1, std::memory_order_release); }
  /// False if it has no user: then it is not what was looked for.
  bool use() {
    uint32_t users = users_.load(std::memory_order_acquire);
    while (users != 0)
      if (users_.compare_exchange_weak(users, users + 1, std::memory_order_acq_rel, std::memory_order_acquire))
        return true;
    return false;
  }
  /// Returns whether this was the last user, who gives it back.
  bool end_use() { return users_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

private:
  std::atomic<uint32_t> users_{0};
};

} // namespace omptarget
