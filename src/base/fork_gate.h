// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of a foreign library that registers fork handlers of its own meanwhile. These do not run for a fork that has
// begun already, so this gate does their work for it.
#pragma once

#include <atomic>
#include <chrono>

#include "base/fork_mutex.h"

namespace omptarget {

/// Any number of threads may be inside at a time. A fork waits until they are outside, and they go on after the fork.
class ForkGate {
public:
  constexpr ForkGate() = default;

  /// The calling thread is inside, until the end of the outermost of its objects. Begin and end of that one wait for
  /// a fork.
  class Inside {
  public:
    explicit Inside(ForkGate &gate);
    Inside(const Inside &) = delete;
    Inside &operator=(const Inside &) = delete;
    ~Inside();
    bool is_outermost() const { return is_outermost_; }

  private:
    friend class ForkGate;
    ForkGate &gate_;
    const Inside *const outer_; ///< of this thread
    const bool is_outermost_;
  };

  /// Waits for the other threads, but not for longer than that: one of them may be waiting for what the fork's thread
  /// holds.
  void before_fork(std::chrono::milliseconds patience);
  /// In parent and child.
  void after_fork() { mutex_.after_fork(); }
  /// Returns whether other threads are inside, or were at the fork.
  bool has_others() const { return inside_.load(std::memory_order_relaxed) != own(); }
  /// In the child, before after_fork(): the threads that were inside are not there.
  void forget_others();

private:
  bool is_inside_here() const;
  int own() const { return is_inside_here() ? 1 : 0; }

  ForkMutex mutex_;           // held by a fork
  std::atomic<int> inside_{}; // threads
};

} // namespace omptarget
