// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State that threads share, reachable only with its lock held.
#pragma once

#include <mutex>
#include <utility>

namespace omptarget {

/// A value and its mutex. The value is reached through lock() only.
template <typename T> class Guarded {
public:
  template <typename... Arguments>
  explicit Guarded(Arguments &&...arguments) : value_(std::forward<Arguments>(arguments)...) {}

  class Access {
  public:
    explicit Access(Guarded &owner) : lock_(owner.mutex_), value_(&owner.value_) {}
    T *operator->() { return value_; }
    T &operator*() { return *value_; }

  private:
    std::unique_lock<std::mutex> lock_;
    T *value_;
  };

  /// Blocks until the lock is free; holds it as long as the result lives.
  Access lock() { return Access(*this); }

  /// For fork handlers only: the mutex itself.
  std::mutex &mutex_for_fork() { return mutex_; }

private:
  std::mutex mutex_;
  T value_;
};

} // namespace omptarget
