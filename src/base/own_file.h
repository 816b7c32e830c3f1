// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of files that the library and the plugins keep open or write.
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace omptarget {

/// Returns another number for a file that has just been opened with that of a standard stream, and closes that one. The
/// program has closed the stream, still writes to it, or will open it again. Keeps a number that is none of these, and
/// errno if it is negative. Returns -1 with errno set if there is no other number.
inline int above_standard_files(int file) {
  if (file < 0 || file > STDERR_FILENO)
    return file;
  const int higher = ::fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  ::close(file);
  errno = error;
  return higher;
}

} // namespace omptarget
