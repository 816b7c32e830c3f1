// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock for loading, which is given back during calls into foreign code that may wait for the dynamic loader's own
// lock: a constructor of a library holds that one, and may want this one.
#pragma once

#include <pthread.h>
#include <vector>

#include "base/fork_mutex.h"
#include "base/inside_loader.h"

namespace omptarget {

/// As ForkMutex, but that the holder may open it for the length of a call.
class LoaderLock {
public:
  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }
  /// try_lock, if no thread has it open either.
  bool try_lock_closed();

  /// Returns whether the calling thread holds it, or has it open: then waiting for it would be waiting for oneself.
  bool is_held_here() const { return mutex_.is_held_here() || is_open_here(); }

  /// Made by the holder: until its end other threads may take the lock. The call is about the subject, an identity.
  class Open {
  public:
    Open(LoaderLock &lock, const void *subject);
    Open(const Open &) = delete;
    Open &operator=(const Open &) = delete;
    ~Open();

  private:
    friend class LoaderLock;
    LoaderLock &lock_;
    const void *const subject_;
    const Open *const outer_; ///< of this thread
  };

  /// Waits until no thread has the lock open for the subject. The holder calls it, and releases the lock meanwhile.
  /// False if that takes longer than a second and the caller may be inside of the dynamic loader, whose lock the
  /// other one may be waiting for; and at once for the thread's own calls.
  bool wait_for_others(const void *subject, bool (*may_hold_loader)() = may_be_inside_loader);

  /// A fork waits for calls of other threads, too, but not for ever. In the child these threads are not there.
  void before_fork();
  void after_fork() { mutex_.after_fork(); }
  void forget_others();

private:
  /// Returns whether the condition holds for one of the calling thread's calls, of whichever lock.
  template <typename Condition> static bool any_open_here(Condition holds);
  bool is_open_here() const;
  bool is_open_for(const void *subject) const;

  ForkMutex mutex_;
  std::vector<const Open *> open_; // with mutex_ held
};

} // namespace omptarget
