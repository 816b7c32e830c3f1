// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the driver's contexts a thread has current, while it is inside of a device. It is looked at when a function is
// called that needs one, once for each Scope, and changed only if it is another one. A thread that has a context of its
// own gets that back; one that has none keeps the device's, for its next call.
#pragma once

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

/// What a thread is inside of. Plain data.
struct CurrentContext {
  Device *device = nullptr;
  CUcontext context = nullptr; ///< the device's
  bool is_current = false;     ///< known to be
  bool is_pushed = false;      ///< by us
  bool was_none = false;       ///< when it was pushed

  /// That of the calling thread.
  static CurrentContext &of_thread();
  /// Begins to be inside of a device, and returns what was before; leave() goes back to that. keeps_pushed: a thread that
  /// had no context may keep the device's.
  static CurrentContext enter(Device &device, CUcontext context);
  static void leave(const CurrentContext &before, bool keeps_pushed);

  /// Makes the context current that the function needs; the driver's result.
  static CUresult choose(ContextNeed need);
  /// A function that needs any context gave this result: whether it is worth another call, now with the device's own.
  static bool may_try_with_own(CUresult result);
  /// The other call succeeded: the driver wants the device's own for these functions, too.
  static void note_own_needed(CUresult result);
  /// A context is about to be given up: the thread that was left with it loses it, others when they next need one.
  static void forget(CUcontext context);
  /// The call that could not make the context current, or null; asked once.
  static const char *failed_call();
};

/// Calls a function of the driver's with the context that it needs.
template <typename Call> CUresult call_in_context(ContextNeed need, Call call) {
  if (need == ContextNeed::kNone)
    return call();
  if (const CUresult result = CurrentContext::choose(need))
    return result;
  CUresult result = call();
  if (need == ContextNeed::kAny && result != CUDA_SUCCESS && CurrentContext::may_try_with_own(result)) {
    result = call();
    CurrentContext::note_own_needed(result);
  }
  return result;
}

} // namespace omptarget::cuda
