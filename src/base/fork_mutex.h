// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mutex for long work (loading plugins and images), whose fork handlers leave it usable in the child.
#pragma once

#include <atomic>
#include <mutex>
#include <pthread.h>

namespace omptarget {

/// As std::mutex. A fork by another thread waits until the work is done, so that the child never sees half of it; a
/// fork by the thread that holds the mutex (a driver starting a helper) goes on, and that thread holds it in the
/// child, too.
class ForkMutex {
public:
  void lock() {
    mutex_.lock();
    owner_.store(pthread_self(), std::memory_order_relaxed);
  }
  bool try_lock() {
    const bool is_locked = mutex_.try_lock();
    if (is_locked)
      owner_.store(pthread_self(), std::memory_order_relaxed);
    return is_locked;
  }
  void unlock() {
    owner_.store(pthread_t{}, std::memory_order_relaxed);
    mutex_.unlock();
  }

  /// Returns whether the calling thread holds it: then locking it would wait for ever.
  bool is_held_here() const { return owner_.load(std::memory_order_relaxed) == pthread_self(); }

  void before_fork() {
    // Only the holder itself can read its own number here, so that the order does not matter.
    if (is_held_here())
      return;
    lock();
    is_held_for_fork_ = true;
  }
  /// In parent and child.
  void after_fork() {
    if (!is_held_for_fork_)
      return;
    is_held_for_fork_ = false;
    unlock();
  }

private:
  std::mutex mutex_;
  std::atomic<pthread_t> owner_{};
  bool is_held_for_fork_ = false; // with mutex_ held
};

} // namespace omptarget
