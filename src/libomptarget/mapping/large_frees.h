// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large blocks whose mappings have left the table, and which are not free yet. A thread that enters the same data
// meanwhile may find no memory for a second block: it waits until the first one is free.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/atomic_wait.h"

namespace omptarget {

/// Any thread. Between begin() and end() a thread waits for no other construct, so that nobody waits for it for ever.
class LargeFrees {
public:
  /// Smaller blocks are not worth counting: as many as there are threads are little memory.
  static constexpr int64_t kLeastBytes = 1 << 20;

  /// Before the mapping can be found to be gone.
  void begin() { word_.fetch_add(1, std::memory_order_acq_rel); }
  /// The block is free, or belongs to somebody else.
  void end() {
    word_.fetch_add(kEnded - 1, std::memory_order_acq_rel);
    notify_waiters(word_);
  }

  /// Returns whether a large block was ever freed, or is going to be.
  bool have_begun() const { return so_far() != 0; }
  /// Returns what has happened so far, for wait_for_change.
  uint64_t so_far() const { return word_.load(std::memory_order_acquire); }
  /// Waits while blocks are being freed, until one more is free. Returns whether one has been freed since then.
  bool wait_for_change(uint64_t since) const {
    uint64_t now = so_far();
    while (now / kEnded == since / kEnded && now % kEnded != 0) {
      wait_while_equal(word_, now);
      now = so_far();
    }
    return now / kEnded != since / kEnded;
  }

  /// In the child of a fork: other threads do not free there what they were freeing.
  void forget_others() { word_.store(0, std::memory_order_relaxed); }

private:
  static constexpr uint64_t kEnded = uint64_t{1} << 32; ///< above: calls of end(); below: frees that have begun
  std::atomic<uint64_t> word_{0};
};

} // namespace omptarget
