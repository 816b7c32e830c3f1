// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/fork_gate.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace omptarget;
using namespace std::chrono_literals;

namespace {

constexpr auto kForEver = 10min;

void wait_for(const std::atomic<bool> &flag) {
  while (!flag)
    std::this_thread::sleep_for(1ms);
}

TEST(ForkGate, fork_waits_for_thread_inside_which_goes_on_after_it) {
  ForkGate gate;
  std::atomic<bool> is_inside{false}, may_leave{false}, is_forking{false}, is_forked{false};
  std::thread starter([&] {
    {
      const ForkGate::Inside inside(gate);
      is_inside = true;
      wait_for(may_leave);
      EXPECT_FALSE(is_forking);
    }
    EXPECT_TRUE(is_forked);
  });
  wait_for(is_inside);
  std::thread forker([&] {
    gate.before_fork(kForEver);
    is_forking = true;
    std::this_thread::sleep_for(20ms); // the other one would go on
    is_forked = true;
    gate.after_fork();
  });
  std::this_thread::sleep_for(20ms); // this one would fork
  may_leave = true;
  starter.join();
  forker.join();
}

TEST(ForkGate, thread_that_is_inside_forks_without_waiting_for_itself) {
  ForkGate gate;
  const ForkGate::Inside inside(gate);
  gate.before_fork(kForEver);
  const ForkGate::Inside nested(gate);
  EXPECT_TRUE(inside.is_outermost());
  EXPECT_FALSE(nested.is_outermost());
  gate.forget_others();
  gate.after_fork();
}

TEST(ForkGate, gates_are_apart) {
  ForkGate gate, other;
  const ForkGate::Inside inside(gate);
  const ForkGate::Inside inside_other(other);
  EXPECT_TRUE(inside_other.is_outermost());
}

TEST(ForkGate, patience_ends_and_child_forgets_who_was_inside) {
  ForkGate gate;
  std::atomic<bool> is_inside{false}, may_leave{false};
  std::thread starter([&] {
    const ForkGate::Inside inside(gate);
    is_inside = true;
    wait_for(may_leave);
  });
  wait_for(is_inside);
  gate.before_fork(0ms);
  gate.after_fork();
  may_leave = true;
  starter.join();

  ForkGate child;
  alignas(ForkGate::Inside) std::byte left_behind[sizeof(ForkGate::Inside)];
  std::thread([&] { new (left_behind) ForkGate::Inside(child); }).join(); // is not there any more
  child.forget_others();
  child.before_fork(kForEver);
  child.after_fork();
}

} // namespace
