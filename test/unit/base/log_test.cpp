// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/log.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/version.h"

namespace omptarget {
namespace {

constexpr uint32_t bit(Topic topic) { return static_cast<uint32_t>(topic); }

TEST(Log, numbers_switch_everything_on_or_off) {
  std::string unknown;
  EXPECT_EQ(parse_topics("0", unknown), 0u);
  EXPECT_EQ(parse_topics("1", unknown) & bit(Topic::kTool), bit(Topic::kTool));
  EXPECT_EQ(parse_topics("all", unknown), parse_topics("3", unknown));
  EXPECT_EQ(unknown, "");
}

TEST(Log, topics_are_selected_by_name_and_unknown_ones_reported) {
  std::string unknown;
  EXPECT_EQ(parse_topics("mapping,plugin,maping,,foo", unknown), bit(Topic::kMapping) | bit(Topic::kPlugin));
  EXPECT_EQ(unknown, "maping,foo");
}

TEST(Log, no_value_switches_the_internal_bit_on) {
  for (const char *value : {"all", "1", "-1", "0xffffffff", "99999999999999999999", "all,mapping"}) {
    std::string unknown;
    EXPECT_EQ(parse_topics(value, unknown) & log_internal::kUnread, 0u) << value;
  }
}

/// Reads the environment anew, as a new process would.
void restart_with(const char *topics, const char *file) {
  topics ? setenv("LIBOMPTARGET_DEBUG", topics, 1) : unsetenv("LIBOMPTARGET_DEBUG");
  file ? setenv("LIBOMPTARGET_DEBUG_FILE", file, 1) : unsetenv("LIBOMPTARGET_DEBUG_FILE");
  log_internal::topics.store(log_internal::kUnread);
}

TEST(Log, arguments_of_topics_that_are_off_are_not_evaluated) {
  restart_with("mapping", nullptr);
  int evaluated = 0;
  testing::internal::CaptureStderr();
  OMPTARGET_TRACE(Topic::kPlugin, "%d", ++evaluated);
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, 3, "value %d", 17);
  EXPECT_EQ(evaluated, 0);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::MatchesRegex("Libomptarget --> .* ms. .thread [0-9]+. .device 3. .mapping. value 17\n"));
  restart_with(nullptr, nullptr);
  EXPECT_FALSE(traces(Topic::kMapping));
}

TEST(Log, lines_of_threads_are_not_mixed_in_a_file) {
  const std::string path = testing::TempDir() + "omptarget_log_test." + std::to_string(getpid());
  restart_with("1", path.c_str());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([] {
      for (int i = 0; i < 200; ++i)
        OMPTARGET_TRACE(Topic::kKernel, "one line that is %s", "complete");
    });
  for (std::thread &thread : threads)
    thread.join();
  restart_with(nullptr, nullptr);
  std::ifstream file(path);
  int lines = 0, heads = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    const bool is_head = line.find("[setting] omptarget " + std::string(version_text()) + " in process ") != line.npos;
    heads += is_head;
    EXPECT_TRUE(line.starts_with("Libomptarget --> [")) << line;
    EXPECT_TRUE(is_head || line.ends_with("[kernel] one line that is complete")) << line;
  }
  EXPECT_EQ(lines, 801);
  EXPECT_EQ(heads, 1);
  unlink(path.c_str());
}

} // namespace
} // namespace omptarget
