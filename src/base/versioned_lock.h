// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock whose one word is also the version of what it guards: odd while somebody holds it. Readers take no lock: they
// note the version, read, and read again if it is another one afterwards.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/atomic_wait.h"
#include "base/sched_point.h"

namespace omptarget {

/// Any thread. Not recursive. Waiters spin for a moment and then sleep. Readers read atomics, loaded with acquire and
/// stored with release: a reader of a holder's store also sees that the lock was taken.
class VersionedLock {
public:
  /// A version that no reader ever sees.
  static constexpr uint32_t kNoVersion = 1;

  /// For readers: the version, which is even. Waits for who holds the lock.
  uint32_t version() const {
    uint32_t word = word_.load(OMPTARGET_ORDER("lock_version_relaxed", std::memory_order_acquire));
    while (is_held(word) && !OMPTARGET_PLANTED("lock_version_while_held")) [[unlikely]]
      word = wait(word);
    return word;
  }
  /// Returns whether nobody has changed anything since the version was noted.
  bool is_still(uint32_t version) const { return word_.load(std::memory_order_acquire) == version; }

  /// Returns the version that it found. likely: what that probably is.
  uint32_t lock(uint32_t likely) {
    for (uint32_t word = likely;;) {
      if (is_held(word)) [[unlikely]]
        word = wait(word);
      else if (OMPTARGET_PLANTED("lock_shared") ? (word_.store(word + 1), true) : take(word)) [[likely]]
        return word;
    }
  }
  uint32_t lock() { return lock(word_.load(std::memory_order_relaxed)); }
  void unlock() {
    word_.fetch_add(OMPTARGET_PLANTED("index_writer_not_announced") ? UINT32_MAX : 1, std::memory_order_acq_rel);
    if (!OMPTARGET_PLANTED("lock_untold"))
      notify_waiters(word_);
  }
  /// Unlocks without publishing a change: the version is the old one again.
  void unlock_unchanged() {
    word_.fetch_sub(1, std::memory_order_acq_rel);
    if (!OMPTARGET_PLANTED("lock_untold_unchanged"))
      notify_waiters(word_);
  }

private:
  /// Takes the free lock if its word is this one; otherwise tells which it is.
  bool take(uint32_t &word) {
    return word_.compare_exchange_weak(word, word + 1, OMPTARGET_ORDER("lock_relaxed", std::memory_order_acquire),
                                       std::memory_order_relaxed);
  }
  static constexpr int kSpins = 100;
  static bool is_held(uint32_t word) { return (word & 1) != 0; }

  /// Until the word is another one, which it returns.
  [[gnu::cold, gnu::noinline]] uint32_t wait(uint32_t word) const {
    for (int i = 0; i < kSpins; ++i) {
      if (const uint32_t now = word_.load(std::memory_order_acquire); now != word)
        return now;
#ifdef __x86_64__
      __builtin_ia32_pause();
#endif
    }
    wait_while_equal(word_, word);
    return word_.load(std::memory_order_acquire);
  }

  std::atomic<uint32_t> word_{0};
};

} // namespace omptarget
