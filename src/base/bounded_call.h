// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting with an end: for work that may hang, such as a driver's at the end of the process.
#pragma once

#include <chrono>
#include <functional>

namespace omptarget {

using Deadline = std::chrono::steady_clock::time_point;

/// Runs the function in a thread of its own and waits for it until the deadline; whether it came back. One that did
/// not goes on in the background, so that whatever it uses must live for ever. Runs it here if there can be no
/// thread.
bool call_until(Deadline deadline, std::function<void()> function);

/// Waits until the condition holds, asking again and again; whether it does.
template <typename Condition> bool wait_until(Deadline deadline, Condition holds);

/// Gives other threads a moment.
void pause_briefly();

template <typename Condition> bool wait_until(Deadline deadline, Condition holds) {
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= deadline)
      return false;
    pause_briefly();
  }
  return true;
}

} // namespace omptarget
