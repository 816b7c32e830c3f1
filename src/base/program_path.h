// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <climits>
#include <string>
#include <unistd.h>

namespace omptarget {

/// Returns the file of the program that this process runs; empty if the system does not tell. Any thread.
inline std::string path_of_program() {
  std::string path(PATH_MAX, '\0');
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  path.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return path;
}

} // namespace omptarget
