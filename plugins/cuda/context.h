// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the driver's contexts a thread has current, while it is inside of a device. It is looked at when a
// function is called that needs one, once for each Scope, and changed only if it is another one. A thread that has a
// context of its own gets that back; one that has none keeps the device's, for its next call.
#pragma once

#include <atomic>
#include <cstdint>

#include "cuda/cuda_api.h"

namespace omptarget::cuda {

class Device;

/// The context that a function of the driver's needs.
enum class ContextNeed {
  kNone,
  kAny, ///< any: "A memory copy will succeed even if it is issued to a stream that is not associated to the current
  ///< device", and so will what waits for and records events (CUDA C++ Programming Guide, stream and event behavior)
  kOwn ///< that of the device
};

/// The contexts of one thread. Plain data: exit handlers use it after the thread-local objects of the thread have
/// been destroyed.
class ThreadContexts {
public:
  /// The context that the thread is in.
  struct Inside {
    Device *device = nullptr;
    CUcontext context = nullptr; ///< the device's
    bool is_current = false;     ///< known to be
    bool is_pushed = false;      ///< by us
    bool was_none = false;       ///< when it was pushed
  };

  /// Those of the calling thread. Looking for them takes as long as a small call, so that streams remember them.
  static ThreadContexts &of_thread();

  Device *device() const { return inside_.device; }
  /// Begins to be inside of a device, and notes what was before; leave() goes back to that. keeps_pushed: a thread that
  /// had no context may keep the device's.
  void enter(Device &device, CUcontext context, Inside &before) {
    before.device = inside_.device;
    if (before.device) [[unlikely]]
      before = inside_;
    inside_ = {&device, context, false, false, false};
  }
  void leave(const Inside &before, bool keeps_pushed) {
    if (inside_.is_pushed) [[unlikely]]
      leave_pushed(keeps_pushed);
    inside_.device = before.device;
    if (before.device) [[unlikely]]
      inside_ = before;
    else
      inside_.context = nullptr;
  }

  /// Makes the context current that the function needs; the driver's result.
  CUresult choose(ContextNeed need) {
    if (need == ContextNeed::kAny && has_context_ && !wants_own.load(std::memory_order_relaxed))
      return CUDA_SUCCESS;
    return inside_.is_current || !inside_.context ? CUresult{CUDA_SUCCESS} : make_own_current();
  }
  /// A function that needs any context gave this result. True if a call with the device's own context may succeed.
  bool may_try_with_own(CUresult result);
  /// The other call succeeded: the driver wants the device's own for these functions, too.
  void note_own_needed(CUresult result);
  /// A context is about to be given up: the thread that was left with it loses it, others when they next need one.
  void forget(CUcontext context);
  /// The call that could not make the context current, or null; asked once.
  const char *failed_call();

private:
  CUresult make_own_current();
  void leave_pushed(bool keeps_pushed);

  /// A call that should do with any context was refused until the device's own was current.
  static std::atomic<bool> wants_own;

  Inside inside_;
  bool has_context_ = false; ///< some context, when it was looked at last
  const char *failed_ = nullptr;
  CUcontext left_ = nullptr;   ///< a context that the thread had none beside, and keeps
  uint64_t left_closings_ = 0; ///< so many contexts had been given up
};

/// Calls a function of the driver's with the context that it needs.
template <typename Call>
[[gnu::always_inline]] inline CUresult call_in_context(ThreadContexts &thread, ContextNeed need, Call call) {
  if (const CUresult result = thread.choose(need)) [[unlikely]]
    return result;
  CUresult result = call();
  if (need == ContextNeed::kAny && result != CUDA_SUCCESS && thread.may_try_with_own(result)) [[unlikely]] {
    result = call();
    thread.note_own_needed(result);
  }
  return result;
}
template <typename Call> CUresult call_in_context(ContextNeed need, Call call) {
  return need == ContextNeed::kNone ? call() : call_in_context(ThreadContexts::of_thread(), need, call);
}

} // namespace omptarget::cuda
