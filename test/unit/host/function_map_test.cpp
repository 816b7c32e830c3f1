// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/atomic_wait.h"
#include "host/function_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "host/kernel_runs.h"

namespace omptarget::host {
namespace {

/// A table that no other number has.
Status set_table(FunctionMap &map, uint64_t number) {
  const __omp_offloading_fptr_map_ty pairs[] = {{16 * number + 16, 1}, {16 * number + 32, 2}};
  Status status = map.set(2, pairs);
  map.give_back_unread();
  return status;
}

TEST(FunctionMap, tables_that_come_and_go_for_ever_take_no_more_memory) {
  FunctionMap map(0);
  for (uint64_t number = 0; number < 10000; ++number)
    ASSERT_TRUE(set_table(map, number));
  EXPECT_EQ(map.tables(), 1u);
  ASSERT_TRUE(map.set(0, nullptr));
  map.give_back_unread();
  EXPECT_EQ(map.tables(), 0u);
}

TEST(FunctionMap, tables_stay_while_a_kernel_may_read_them) {
  FunctionMap map(0);
  ASSERT_TRUE(set_table(map, 0));
  std::atomic<int> step{0};
  std::thread kernel([&] {
    const KernelRuns::Run run;
    const KernelRuns::Run inner;
    step = 1;
    notify_waiters(step);
    wait_while_equal(step, 1);
  });
  wait_while_equal(step, 0);
  for (uint64_t number = 1; number <= 3; ++number)
    ASSERT_TRUE(set_table(map, number));
  EXPECT_EQ(map.tables(), 4u);
  {
    const KernelRuns::Run later; // started when the fourth was current already
    step = 2;
    notify_waiters(step);
    kernel.join();
    ASSERT_TRUE(set_table(map, 4));
    EXPECT_EQ(map.tables(), 2u);
  }
  ASSERT_TRUE(set_table(map, 5));
  EXPECT_EQ(map.tables(), 1u);
}

TEST(FunctionMap, a_table_that_comes_back_while_it_is_kept_is_the_old_one) {
  FunctionMap map(0);
  const KernelRuns::Run run;
  for (int round = 0; round < 100; ++round)
    ASSERT_TRUE(set_table(map, static_cast<uint64_t>(round % 2)));
  EXPECT_EQ(map.tables(), 2u);
}

TEST(FunctionMap, threads_that_ended_keep_nothing) {
  FunctionMap map(0);
  for (uint64_t number = 0; number < 200; ++number) {
    std::thread([] { const KernelRuns::Run run; }).join();
    ASSERT_TRUE(set_table(map, number));
  }
  EXPECT_EQ(map.tables(), 1u);
}

} // namespace
} // namespace omptarget::host
