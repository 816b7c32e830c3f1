// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/mapped_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"

namespace omptarget {

MappedFile::~MappedFile() {
  if (contents_ != MAP_FAILED)
    ::munmap(contents_, size_);
}

Status MappedFile::open(const std::string &path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return Status::error(format("cannot be opened: %s", std::strerror(errno)));
  Status status = map(file);
  ::close(file);
  return status;
}

Status MappedFile::map(int file) {
  struct stat facts{};
  if (::fstat(file, &facts) != 0)
    return Status::error(format("cannot be read: %s", std::strerror(errno)));
  if (!S_ISREG(facts.st_mode))
    return Status::error("is no regular file");
  if (facts.st_size == 0)
    return Status::error("is empty");
  size_ = static_cast<size_t>(facts.st_size);
  contents_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
  return contents_ != MAP_FAILED ? Status::ok() : Status::error(format("cannot be read: %s", std::strerror(errno)));
}

} // namespace omptarget
