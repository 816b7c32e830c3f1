// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/image_file.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

#include "test_image.h"

namespace omptarget::host {
namespace {

int descriptor_of(const std::string &path) {
  return std::atoi(path.c_str() + path.rfind('/') + 1);
}

TEST(ImageFile, paths_never_repeat_and_lead_to_the_descriptor) {
  std::set<std::string> paths;
  const int file = ::open("/dev/null", O_RDONLY);
  struct stat expected{};
  ::fstat(file, &expected);
  for (int i = 0; i < 1000; ++i) {
    const std::string path = unique_path_of(file);
    EXPECT_TRUE(paths.insert(path).second) << path;
    struct stat found{};
    EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
    EXPECT_EQ(found.st_ino, expected.st_ino) << path;
  }
  ::close(file);
}

TEST(ImageFile, holds_the_bytes_and_is_closed_with_its_owner) {
  int number = -1;
  {
    Result<ImageFile> file = ImageFile::create("some bytes");
    ASSERT_TRUE(file.is_ok()) << file.status().to_string();
    number = descriptor_of(file->path());
    EXPECT_GT(number, STDERR_FILENO);
    EXPECT_NE(::fcntl(number, F_GETFD) & FD_CLOEXEC, 0);
    char read[16] = "";
    EXPECT_EQ(::pread(number, read, sizeof read, 0), 10);
    EXPECT_STREQ(read, "some bytes");
  }
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

TEST(ImageFile, leaves_a_descriptor_alone_that_is_no_longer_its_own) {
  int number = -1;
  {
    Result<ImageFile> file = ImageFile::create("some bytes");
    ASSERT_TRUE(file.is_ok());
    number = descriptor_of(file->path());
    const int other = ::open("/dev/null", O_RDONLY);
    ASSERT_EQ(::dup2(other, number), number);
    ::close(other);
  }
  EXPECT_NE(::fcntl(number, F_GETFD), -1);
  ::close(number);
}

TEST(ImageFile, stays_away_from_the_numbers_of_standard_streams) {
  const int kept = ::dup(STDIN_FILENO);
  ::close(STDIN_FILENO);
  {
    Result<ImageFile> file = ImageFile::create("some bytes");
    ASSERT_TRUE(file.is_ok());
    EXPECT_GT(descriptor_of(file->path()), STDERR_FILENO);
    EXPECT_EQ(::fcntl(STDIN_FILENO, F_GETFD), -1);
  }
  if (kept >= 0) {
    ::dup2(kept, STDIN_FILENO);
    ::close(kept);
  }
}

} // namespace
} // namespace omptarget::host
