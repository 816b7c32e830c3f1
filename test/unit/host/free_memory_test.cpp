// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/free_memory.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace omptarget::host {
namespace {

class ControlGroups : public testing::Test {
protected:
  void SetUp() override { std::filesystem::create_directories(folder_ + "/a/b"); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string &name, const char *text) {
    std::filesystem::create_directories(std::filesystem::path(folder_ + name).parent_path());
    std::ofstream(folder_ + name) << text << '\n';
  }
  const std::string folder_ = testing::TempDir() + "control_groups";
};

TEST_F(ControlGroups, without_limits_leave_all) {
  EXPECT_EQ(free_in_control_groups("0::/a/b\n", folder_), UINT64_MAX);
  write("/a/b/memory.max", "max");
  EXPECT_EQ(free_in_control_groups("0::/a/b\n", folder_), UINT64_MAX);
  EXPECT_EQ(free_in_control_groups("", folder_), UINT64_MAX);
  EXPECT_EQ(free_in_control_groups("no such line\n0:\n1:x\n", folder_), UINT64_MAX);
}

TEST_F(ControlGroups, leave_what_the_tightest_of_those_around_leaves) {
  write("/a/b/memory.max", "1000");
  write("/a/b/memory.current", "100");
  write("/a/memory.max", "2000");
  write("/a/memory.current", "1500");
  EXPECT_EQ(free_in_control_groups("0::/a/b\n", folder_), 500u);
  write("/a/memory.current", "2500");
  EXPECT_EQ(free_in_control_groups("0::/a/b", folder_), 0u);
}

TEST_F(ControlGroups, of_the_first_version_have_a_folder_of_their_own) {
  write("/memory/job/memory.limit_in_bytes", "4000");
  write("/memory/job/memory.usage_in_bytes", "1000");
  EXPECT_EQ(free_in_control_groups("5:cpu:/job\n4:memory:/job\n", folder_), 3000u);
  EXPECT_EQ(free_in_control_groups("4:memory:/\n", folder_), UINT64_MAX);
}

TEST(FreeMemory, is_not_all_that_can_be_counted) {
  EXPECT_GT(free_memory(), 0u);
  EXPECT_LT(free_memory(), UINT64_MAX);
}

} // namespace
} // namespace omptarget::host
