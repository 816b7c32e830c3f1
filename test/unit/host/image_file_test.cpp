// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/image_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "test_image.h"

namespace omptarget::host {
namespace {

int descriptor_of(const std::string &path) { return std::atoi(path.c_str() + path.rfind('/') + 1); }

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

/// The limit of open files while it lives: so many more than there are.
class FewFiles {
public:
  explicit FewFiles(rlim_t more) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    // Numbers above the limit stay open; all below it are taken.
    const rlimit few{48, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    for (int file; (file = ::open("/dev/null", O_RDONLY)) >= 0;)
      taken_.push_back(file);
    for (; more > 0; --more) {
      ::close(taken_.back());
      taken_.pop_back();
    }
  }
  FewFiles(const FewFiles &) = delete;
  FewFiles &operator=(const FewFiles &) = delete;
  ~FewFiles() {
    for (const int file : taken_)
      ::close(file);
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }

private:
  rlimit before_{};
  std::vector<int> taken_;
};

TEST(ImageFile, names_the_lack_of_descriptors) {
  for (const rlim_t left : {0, 1}) {
    const FewFiles few(left);
    Result<ImageFile> file = ImageFile::create("some bytes");
    ASSERT_FALSE(file.is_ok());
    const std::string text = file.status().to_string();
    EXPECT_NE(text.find(std::strerror(EMFILE)), std::string::npos) << text;
    EXPECT_EQ(text.find("executed"), std::string::npos) << text;
  }
}

TEST(ImageFile, few_stay_open_for_debuggers) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit limit{160, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  for (int round = 0; round < 2; ++round) { // closed files make room
    std::vector<ImageFile> files;
    for (int i = 0; i < 30; ++i) {
      Result<ImageFile> file = ImageFile::create("some bytes");
      ASSERT_TRUE(file.is_ok()) << file.status().to_string();
      file.value().release();
      const bool is_open = ::fcntl(descriptor_of(file.value().path()), F_GETFD) != -1;
      EXPECT_EQ(is_open, i < 10) << i;
      files.push_back(std::move(file.value()));
    }
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
}

} // namespace
} // namespace omptarget::host
