// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is mapped for reading.
#pragma once

#include <string>
#include <string_view>
#include <sys/mman.h>

#include "base/status.h"

namespace omptarget {

class MappedFile {
public:
  MappedFile() = default;
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  /// Maps a regular file that is not empty; once. The failure is the reason alone, without the path.
  Status open(const std::string &path);
  std::string_view contents() const { return {static_cast<const char *>(contents_), size_}; }

private:
  Status map(int file);

  void *contents_ = MAP_FAILED;
  size_t size_ = 0;
};

} // namespace omptarget
