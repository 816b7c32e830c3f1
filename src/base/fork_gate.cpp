// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/fork_gate.h"

#include "base/bounded_call.h"

namespace omptarget {

namespace {

// Plain data: needs no hook at thread exit.
thread_local constinit const ForkGate::Inside *innermost = nullptr;

} // namespace

ForkGate::Inside::Inside(ForkGate &gate) : gate_(gate), outer_(innermost), is_outermost_(!gate.is_inside_here()) {
  if (is_outermost_) {
    const std::lock_guard wait_for_fork(gate_.mutex_);
    gate_.inside_.fetch_add(1, std::memory_order_relaxed);
  }
  innermost = this;
}

ForkGate::Inside::~Inside() {
  innermost = outer_;
  if (!is_outermost_)
    return;
  gate_.inside_.fetch_sub(1, std::memory_order_release);
  const std::lock_guard wait_for_fork(gate_.mutex_);
}

bool ForkGate::is_inside_here() const {
  for (const Inside *inside = innermost; inside; inside = inside->outer_)
    if (&inside->gate_ == this)
      return true;
  return false;
}

void ForkGate::before_fork(std::chrono::milliseconds patience) {
  mutex_.before_fork();
  wait_until(std::chrono::steady_clock::now() + patience,
             [this] { return inside_.load(std::memory_order_acquire) == own(); });
}

void ForkGate::forget_others() { inside_.store(own(), std::memory_order_relaxed); }

} // namespace omptarget
