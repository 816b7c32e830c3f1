// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Children of fork: usable devices and registry, whatever other threads were doing.

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "modules.h"

namespace omptarget {
namespace {

/// Returns whether the child ends well. One that hangs is ended by a signal.
template <typename Body> bool succeeds_in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

bool has_kernel(int32_t number, const void *id) {
  Result<DeviceUse> device = Runtime::get().device(static_cast<DeviceId>(number));
  return device.is_ok() && *device && (*device)->kernel(id);
}

TEST(Fork, the_child_uses_what_the_parent_had_and_more) {
  Module module("A");
  module.kernel(&kernel_a, "a");
  ASSERT_TRUE(module.load());
  ASSERT_TRUE(ready_device(0));
  EXPECT_TRUE(succeeds_in_child([] {
    Module own("B");
    own.kernel(&kernel_b, "b");
    return own.load().is_ok() && has_kernel(0, &kernel_a) && has_kernel(1, &kernel_a) && has_kernel(2, &kernel_b);
  }));
  EXPECT_EQ(Runtime::get().number_of_devices(), 2);
  EXPECT_TRUE(has_kernel(0, &kernel_a));
}

TEST(Fork, the_child_may_be_the_first_to_offload) {
  Module module("A");
  module.kernel(&kernel_a, "a");
  ASSERT_TRUE(module.load());
  EXPECT_TRUE(succeeds_in_child([] { return has_kernel(0, &kernel_a); }));
  EXPECT_EQ(events("alpha"), "not loaded");
  EXPECT_TRUE(has_kernel(0, &kernel_a));
}

TEST(Fork, locks_of_other_threads_do_not_stay_in_the_child) {
  Module module("A");
  module.kernel(&kernel_a, "a");
  ASSERT_TRUE(module.load());
  ASSERT_TRUE(ready_device(0));
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread)
    threads.emplace_back([&, thread] {
      static char ids[2];
      while (!stop.load(std::memory_order_relaxed)) {
        Module own(thread == 0 ? "A" : "B");
        own.kernel(&ids[thread], "own");
        (void)own.load();
        for (int32_t i = 0; i < Runtime::get().number_of_devices(); ++i)
          (void)has_kernel(i, &ids[thread]);
      }
    });
  for (int round = 0; round < 20; ++round)
    EXPECT_TRUE(succeeds_in_child([] {
      Module own("A");
      own.kernel(&kernel_b, "b");
      return own.load().is_ok() && has_kernel(0, &kernel_a) && has_kernel(0, &kernel_b);
    }));
  stop.store(true, std::memory_order_relaxed);
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
} // namespace omptarget
