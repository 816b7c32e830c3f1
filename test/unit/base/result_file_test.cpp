// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/result_file.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace omptarget {
namespace {

using testing::HasSubstr;

class ResultFile : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "omptarget-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char *name) const { return folder_ + "/" + name; }
  static std::string text_of(const std::string &path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  size_t files() const { return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {})); }

  std::string folder_;
};

TEST_F(ResultFile, a_new_file_holds_the_text) {
  EXPECT_TRUE(replace_result_file(path("new"), "text").is_ok());
  EXPECT_EQ(text_of(path("new")), "text");
  EXPECT_EQ(files(), 1u);
}

TEST_F(ResultFile, an_old_file_is_replaced_and_keeps_its_permissions) {
  std::ofstream(path("old")) << "a longer text than the new one";
  ASSERT_EQ(chmod(path("old").c_str(), 0640), 0);
  std::filesystem::create_hard_link(path("old"), path("other name"));
  EXPECT_TRUE(replace_result_file(path("old"), "text").is_ok());
  EXPECT_EQ(text_of(path("old")), "text");
  EXPECT_EQ(text_of(path("other name")), "a longer text than the new one") << "it was truncated in place";
  struct stat facts{};
  ASSERT_EQ(stat(path("old").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0640u);
}

TEST_F(ResultFile, links_are_not_followed) {
  std::ofstream(path("target")) << "untouched";
  std::filesystem::create_symlink("target", path("link"));
  const Status status = replace_result_file(path("link"), "text");
  ASSERT_FALSE(status.is_ok());
  EXPECT_THAT(status.to_string(), HasSubstr("it is a symbolic link"));
  EXPECT_EQ(text_of(path("target")), "untouched");
  EXPECT_EQ(files(), 2u) << "something was left behind";
}

TEST_F(ResultFile, nobody_is_waited_for) {
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0666), 0);
  const Status status = replace_result_file(path("fifo"), "text");
  ASSERT_FALSE(status.is_ok());
  EXPECT_THAT(status.to_string(), HasSubstr("it is a FIFO"));
  const Status device = replace_result_file("/dev/null", "text");
  ASSERT_FALSE(device.is_ok());
  EXPECT_THAT(device.to_string(), HasSubstr("it is a device or a socket"));
}

TEST_F(ResultFile, failures_name_the_file) {
  const Status status = replace_result_file(path("none/file"), "text");
  ASSERT_FALSE(status.is_ok());
  EXPECT_THAT(status.to_string(), HasSubstr("none/file': No such file or directory"));
  EXPECT_THAT(replace_result_file(folder_, "text").to_string(), HasSubstr("it is a folder"));
}

TEST_F(ResultFile, what_a_killed_process_left_behind_is_not_taken) {
  const std::string left = path((".omptarget-" + std::to_string(getpid()) + "-0").c_str());
  std::filesystem::create_symlink("victim", left);
  EXPECT_TRUE(replace_result_file(path("new"), "text").is_ok());
  EXPECT_FALSE(std::filesystem::exists(path("victim")));
  EXPECT_EQ(text_of(path("new")), "text");
}

} // namespace
} // namespace omptarget
