// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting until an atomic word changes, as std::atomic::wait does, which libstdc++ has since version 11 only. Words
// share a few places to sleep at; a notifier of a word that nobody waits for makes no system call.
#pragma once

#include <atomic>
#include <cstdint>

namespace omptarget {

/// Where threads that wait for words sleep.
struct alignas(64) WaitPlace {
  std::atomic<uint32_t> changes{0};
  std::atomic<uint32_t> waiters{0};

  /// The place of a word.
  static WaitPlace &of(const void *word);
  /// Sleeps until changes differs from seen; may return before.
  void sleep(uint32_t seen);
  void wake_all();
  /// In the child of a fork: nobody sleeps anywhere.
  static void forget_all();
};

/// Returns once the word differs from old. Any thread; takes no lock.
template <typename T> void wait_while_equal(const std::atomic<T> &word, T old) {
  if (word.load(std::memory_order_acquire) != old)
    return;
  WaitPlace &place = WaitPlace::of(&word);
  place.waiters.fetch_add(1, std::memory_order_seq_cst); // before the word is read again: see notify_waiters
  while (true) {
    const uint32_t seen = place.changes.load(std::memory_order_seq_cst);
    if (word.load(std::memory_order_seq_cst) != old)
      break;
    place.sleep(seen);
  }
  place.waiters.fetch_sub(1, std::memory_order_release);
}

/// Wakes all that wait for the word. It was changed before, by a read-modify-write or under a mutex that was given back
/// since: on x86-64 both order the change before this look at the waiters, elsewhere the fence does.
template <typename T> void notify_waiters(const std::atomic<T> &word) {
#if !defined(__x86_64__)
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  WaitPlace &place = WaitPlace::of(&word);
  if (place.waiters.load(std::memory_order_seq_cst) != 0) [[unlikely]]
    place.wake_all();
}

} // namespace omptarget
