// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/process_exit.h"

#include <atomic>
#include <cstdlib>

namespace omptarget {

namespace {

constinit std::atomic<bool> is_exiting{false};
constinit std::atomic<int> handlers{0};

/// More are not needed to be right in real programs, and each costs memory for ever.
constexpr int kMaxHandlers = 256;

} // namespace

bool is_process_exiting() { return is_exiting.load(std::memory_order_acquire); }

void note_process_exit() { is_exiting.store(true, std::memory_order_release); }

void expect_process_exit() {
  if (handlers.fetch_add(1, std::memory_order_relaxed) < kMaxHandlers)
    std::atexit(note_process_exit);
}

} // namespace omptarget
