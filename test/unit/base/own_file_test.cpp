// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/own_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

namespace omptarget {
namespace {

TEST(OwnFile, leaves_numbers_of_closed_standard_streams_to_the_program) {
  const pid_t child = fork();
  if (child == 0) {
    for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      close(stream);
    const int file = above_standard_files(open("/dev/null", O_WRONLY | O_CLOEXEC));
    const bool is_written = file > STDERR_FILENO && write(file, "a", 1) == 1 && fcntl(file, F_GETFD) == FD_CLOEXEC;
    _exit(is_written && open("/dev/null", O_RDONLY) == STDIN_FILENO ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(OwnFile, keeps_higher_numbers_and_failures) {
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GT(file, STDERR_FILENO);
  EXPECT_EQ(above_standard_files(file), file);
  close(file);
  EXPECT_EQ(above_standard_files(open("/nonexistent/file", O_RDONLY)), -1);
  EXPECT_EQ(errno, ENOENT);
}

} // namespace
} // namespace omptarget
