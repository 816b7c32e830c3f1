// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/context.h"

#include <atomic>
#include <utility>

#include "cuda/driver.h"

namespace omptarget::cuda {

namespace {

// Plain data: exit handlers use it after the thread-local objects of the thread have been destroyed.
thread_local constinit CurrentContext current{};
thread_local constinit bool has_context = false; ///< some context, when it was looked at last
thread_local constinit const char *failed = nullptr;

/// A context that the thread had none beside, and keeps.
struct Left {
  CUcontext context;
  uint64_t closings; ///< so many contexts had been given up
};
thread_local constinit Left left{};
constinit std::atomic<uint64_t> closings{0};

/// A call that should do with any context was refused until the device's own was current.
constinit std::atomic<bool> wants_own{false};

CUresult make_own_current() {
  if (current.is_current || !current.context)
    return CUDA_SUCCESS;
  CUcontext outer = nullptr;
  const bool is_known = OMPTARGET_CU_RESULT(cuCtxGetCurrent, &outer) == CUDA_SUCCESS;
  // One that was left here and may be gone.
  if (outer && outer == left.context && left.closings != closings.load(std::memory_order_acquire)) {
    static_cast<void>(OMPTARGET_CU_RESULT(cuCtxPopCurrent, &outer));
    outer = nullptr;
    left = {};
  }
  if (!is_known || outer != current.context) {
    CUresult result = OMPTARGET_CU_RESULT(cuCtxPushCurrent, current.context);
    if (result != CUDA_SUCCESS) // Once more, since nothing can be given back without it.
      result = OMPTARGET_CU_RESULT(cuCtxPushCurrent, current.context);
    if (result != CUDA_SUCCESS) {
      failed = "cuCtxPushCurrent";
      return result;
    }
    current.is_pushed = true;
    current.was_none = is_known && !outer;
  }
  current.is_current = has_context = true;
  return CUDA_SUCCESS;
}

} // namespace

CurrentContext &CurrentContext::of_thread() { return current; }

CurrentContext CurrentContext::enter(Device &device, CUcontext context) {
  return std::exchange(current, CurrentContext{&device, context, false, false, false});
}

void CurrentContext::leave(const CurrentContext &before, bool keeps_pushed) {
  CUcontext popped = nullptr;
  if (current.is_pushed && current.was_none && keeps_pushed) {
    left = {current.context, closings.load(std::memory_order_acquire)};
  } else if (current.is_pushed) {
    static_cast<void>(OMPTARGET_CU_RESULT(cuCtxPopCurrent, &popped));
    has_context = !current.was_none;
  }
  current = before;
}

CUresult CurrentContext::choose(ContextNeed need) {
  if (need == ContextNeed::kAny && has_context && !wants_own.load(std::memory_order_relaxed))
    return CUDA_SUCCESS;
  return make_own_current();
}

bool CurrentContext::may_try_with_own(CUresult result) {
  const bool is_refusal = result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_INVALID_HANDLE ||
                          result == CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (!is_refusal || current.is_current)
    return false;
  const bool is_chosen = make_own_current() == CUDA_SUCCESS;
  failed = nullptr;
  return is_chosen && current.is_pushed;
}

// A thread that has lost its context since it was last asked is no reason.
void CurrentContext::note_own_needed(CUresult result) {
  if (result == CUDA_SUCCESS && !current.was_none)
    wants_own.store(true, std::memory_order_relaxed);
}

void CurrentContext::forget(CUcontext context) {
  CUcontext outer = nullptr;
  if (left.context == context && OMPTARGET_CU_RESULT(cuCtxGetCurrent, &outer) == CUDA_SUCCESS && outer == context) {
    static_cast<void>(OMPTARGET_CU_RESULT(cuCtxPopCurrent, &outer));
    has_context = false;
    left = {};
  }
  closings.fetch_add(1, std::memory_order_release);
}

const char *CurrentContext::failed_call() { return std::exchange(failed, nullptr); }

} // namespace omptarget::cuda
