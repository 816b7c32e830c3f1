// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/context.h"

#include <utility>

#include "cuda/driver.h"

namespace omptarget::cuda {

namespace {

thread_local constinit ThreadContexts the_contexts;
constinit std::atomic<uint64_t> closings{0};

// Functions that need no context.
CUresult current(CUcontext *context) { return driver().cuCtxGetCurrent(context); }
void pop() {
  CUcontext popped = nullptr;
  static_cast<void>(driver().cuCtxPopCurrent(&popped));
}

} // namespace

constinit std::atomic<bool> ThreadContexts::wants_own{false};

ThreadContexts &ThreadContexts::of_thread() { return the_contexts; }

CUresult ThreadContexts::make_own_current() {
  CUcontext outer = nullptr;
  const bool is_known = current(&outer) == CUDA_SUCCESS;
  // One that was left here and may be gone.
  if (outer && outer == left_ && left_closings_ != closings.load(std::memory_order_acquire)) {
    pop();
    outer = left_ = nullptr;
  }
  if (!is_known || outer != inside_.context) {
    CUresult result = driver().cuCtxPushCurrent(inside_.context);
    if (result != CUDA_SUCCESS) // Once more, since nothing can be given back without it.
      result = driver().cuCtxPushCurrent(inside_.context);
    if (result != CUDA_SUCCESS) {
      failed_ = "cuCtxPushCurrent";
      return result;
    }
    inside_.is_pushed = true;
    inside_.was_none = is_known && !outer;
  }
  inside_.is_current = has_context_ = true;
  return CUDA_SUCCESS;
}

void ThreadContexts::leave_pushed(bool keeps_pushed) {
  if (inside_.was_none && keeps_pushed) {
    left_ = inside_.context;
    left_closings_ = closings.load(std::memory_order_acquire);
    return;
  }
  pop();
  has_context_ = !inside_.was_none;
}

bool ThreadContexts::may_try_with_own(CUresult result) {
  const bool is_refusal = result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_INVALID_HANDLE ||
                          result == CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (!is_refusal || inside_.is_current || !inside_.context)
    return false;
  const bool is_chosen = make_own_current() == CUDA_SUCCESS;
  failed_ = nullptr;
  return is_chosen && inside_.is_pushed;
}

// A thread that has lost its context since it was last asked is no reason.
void ThreadContexts::note_own_needed(CUresult result) {
  if (result == CUDA_SUCCESS && !inside_.was_none)
    wants_own.store(true, std::memory_order_relaxed);
}

void ThreadContexts::forget(CUcontext context) {
  CUcontext outer = nullptr;
  if (left_ == context && current(&outer) == CUDA_SUCCESS && outer == context) {
    pop();
    has_context_ = false;
    left_ = nullptr;
  }
  closings.fetch_add(1, std::memory_order_release);
}

const char *ThreadContexts::failed_call() { return std::exchange(failed_, nullptr); }

} // namespace omptarget::cuda
