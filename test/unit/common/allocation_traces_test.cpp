// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/allocation_traces.h"

#include <cstdlib>
#include <gtest/gtest.h>

#include "common/launch_log.h"
#include "common/launch_traces.h"

namespace omptarget {
namespace {

const void *at(uintptr_t address) { return reinterpret_cast<const void *>(address); }

std::string story_of(AllocationTraces &traces, uint64_t address) {
  testing::internal::CaptureStderr();
  traces.tell_fault(3, address);
  return testing::internal::GetCapturedStderr();
}

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

TEST(AllocationTraces, tell_the_block_that_an_address_is_in_or_next_to) {
  AllocationTraces traces(true);
  EXPECT_TRUE(has(story_of(traces, 0x1000), "device 3: no memory has been allocated there"));
  traces.allocated(at(0x1000), 0x100);
  traces.allocated(at(0x2000), 0x100);
  EXPECT_TRUE(
      has(story_of(traces, 0x1010), "0x1010 is byte 16 of a block of 256 bytes at 0x1000, which is in use. It"));
  EXPECT_TRUE(has(story_of(traces, 0x1104), "0x1104 is 4 bytes behind the end of a block of 256 bytes at 0x1000,"));
  EXPECT_TRUE(has(story_of(traces, 0x1ff0), "0x1ff0 is 16 bytes before a block of 256 bytes at 0x2000,"));
  EXPECT_TRUE(traces.freeing(at(0x1000)).is_ok());
  const std::string story = story_of(traces, 0x10ff);
  EXPECT_TRUE(has(story, "byte 255 of a block of 256 bytes at 0x1000, which is free. It was freed by")) << story;
  EXPECT_TRUE(has(story, "and allocated by")) << story;
  EXPECT_TRUE(has(story, "tell_the_block_that_an_address_is_in_or_next_to")) << story;
}

TEST(AllocationTraces, know_what_was_where_later_blocks_are) {
  AllocationTraces traces(true);
  for (const uintptr_t size : {0x200, 0x100}) {
    traces.allocated(at(0x1000), size);
    EXPECT_TRUE(traces.freeing(at(0x1000)).is_ok());
  }
  traces.allocated(at(0x1000), 4);
  EXPECT_TRUE(has(story_of(traces, 0x1003), "a block of 4 bytes at 0x1000, which is in use"));
  EXPECT_TRUE(has(story_of(traces, 0x1004), "a block of 256 bytes at 0x1000, which is free"));
  EXPECT_TRUE(has(story_of(traces, 0x1100), "a block of 512 bytes at 0x1000, which is free"));
  EXPECT_TRUE(has(story_of(traces, 0x1200), "0 bytes behind the end of a block of 512 bytes at 0x1000, which is free"));
}

TEST(AllocationTraces, refuse_wrong_frees) {
  AllocationTraces traces(true);
  traces.allocated(at(0x1000), 0x100);
  EXPECT_TRUE(traces.freeing(nullptr).is_ok());
  EXPECT_TRUE(traces.freeing(at(0x1000)).is_ok());
  for (const uintptr_t wrong : {0x1000, 0x1010}) {
    testing::internal::CaptureStderr();
    Status status = traces.freeing(at(wrong));
    const std::string story = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(has(story, "a block of 256 bytes at 0x1000, which is free. It was freed by")) << story;
    ASSERT_FALSE(status.is_ok());
    EXPECT_TRUE(has(status.to_string(), "was not allocated here or is free already"));
    status.consume();
  }
  traces.allocated(at(0x1000), 0x100);
  EXPECT_TRUE(traces.freeing(at(0x1000)).is_ok());
}

TEST(AllocationTraces, that_are_off_do_nothing) {
  AllocationTraces traces(false);
  traces.allocated(at(0x1000), 0x100);
  EXPECT_TRUE(traces.freeing(at(0x2000)).is_ok());
  EXPECT_EQ(story_of(traces, 0x1000), "");
}

TEST(LaunchTraces, tell_the_last_ones_first_of_queues_under_way) {
  LaunchTraces traces(2);
  const int first = 0, second = 0;
  for (const char *name : {"a", "b", "c"})
    traces.launched(&first, name);
  traces.launched(&second, "d");
  const auto told = [&](const std::vector<const void *> &under_way) {
    testing::internal::CaptureStderr();
    traces.tell(3, under_way);
    return testing::internal::GetCapturedStderr();
  };
  const std::string story = told({&first});
  EXPECT_TRUE(has(story, "device 3: the last 2 kernels, the newest first")) << story;
  EXPECT_TRUE(has(story, "kernel 0: c, launched by") && has(story, "kernel 1: b, launched by")) << story;
  EXPECT_FALSE(has(story, "kernel 2:") || has(story, ": d, launched")) << story;
  const std::string later = told({});
  EXPECT_TRUE(has(later, "kernel 0: d, of a queue whose work is complete, launched by")) << later;
  EXPECT_TRUE(has(later, "kernel 1: c, of a queue")) << later;
}

TEST(LaunchTraces, are_kept_by_the_log_as_the_setting_says) {
  ASSERT_EQ(setenv("OFFLOAD_TRACK_NUM_KERNEL_LAUNCH_TRACES", "3", 1), 0);
  LaunchLog log;
  unsetenv("OFFLOAD_TRACK_NUM_KERNEL_LAUNCH_TRACES");
  const int first = 0, second = 0;
  const std::string a = "a", b = "b", c = "c";
  const auto launch = [&](const void *stream, const std::string &kernel, uint32_t teams) {
    log.trace(stream, kernel, teams, 2);
    log.launched(stream, kernel, teams, 2);
  };
  launch(&first, a, 1);
  launch(&second, b, 3);
  launch(&first, c, 5);
  log.completed(&first);
  testing::internal::CaptureStderr();
  log.tell_traces(0);
  const std::string story = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(has(story, "kernel 0: b (3 blocks, 2 threads), launched by")) << story;
  EXPECT_TRUE(has(story, "kernel 1: c (5 blocks, 2 threads), of a queue whose work is complete, launched")) << story;
  EXPECT_TRUE(has(story, "kernel 2: a (1 blocks, 2 threads), of a queue")) << story;
}

} // namespace
} // namespace omptarget
