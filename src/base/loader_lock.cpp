// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/loader_lock.h"

#include <algorithm>

#include "base/bounded_call.h"

namespace omptarget {

namespace {

// Plain data: needs no hook at thread exit.
thread_local constinit const LoaderLock::Open *innermost = nullptr;

constexpr auto kPatience = std::chrono::seconds(1);

} // namespace

LoaderLock::Open::Open(LoaderLock &lock, const void *subject) : lock_(lock), subject_(subject), outer_(innermost) {
  lock_.open_.push_back(this);
  innermost = this;
  lock_.mutex_.unlock();
}

LoaderLock::Open::~Open() {
  lock_.mutex_.lock();
  innermost = outer_;
  std::erase(lock_.open_, this);
}

bool LoaderLock::try_lock_closed() {
  if (!mutex_.try_lock())
    return false;
  if (open_.empty())
    return true;
  mutex_.unlock();
  return false;
}

template <typename Condition> bool LoaderLock::any_open_here(Condition holds) {
  for (const Open *open = innermost; open; open = open->outer_)
    if (holds(open))
      return true;
  return false;
}

bool LoaderLock::is_open_here() const {
  return any_open_here([this](const Open *open) { return &open->lock_ == this; });
}

bool LoaderLock::is_open_for(const void *subject) const {
  return std::any_of(open_.begin(), open_.end(), [&](const Open *open) { return open->subject_ == subject; });
}

bool LoaderLock::wait_for_others(const void *subject, bool (*may_hold_loader)()) {
  if (any_open_here([&](const Open *open) { return &open->lock_ == this && open->subject_ == subject; }))
    return false;
  const Deadline deadline = std::chrono::steady_clock::now() + kPatience;
  for (bool waits_for_ever = false; is_open_for(subject);) {
    if (!waits_for_ever && std::chrono::steady_clock::now() >= deadline) {
      if (may_hold_loader())
        return false;
      waits_for_ever = true; // a driver may need long to start
    }
    mutex_.unlock();
    pause_briefly();
    mutex_.lock();
  }
  return true;
}

void LoaderLock::before_fork() {
  const Deadline deadline = std::chrono::steady_clock::now() + kPatience;
  for (const bool waits = !is_held_here();;) {
    mutex_.before_fork();
    if (!waits || open_.empty() || std::chrono::steady_clock::now() >= deadline)
      return;
    mutex_.after_fork();
    pause_briefly();
  }
}

void LoaderLock::forget_others() {
  std::erase_if(open_,
                [](const Open *open) { return !any_open_here([open](const Open *own) { return own == open; }); });
}

} // namespace omptarget
