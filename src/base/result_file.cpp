// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/result_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "base/own_file.h"
#include "base/text_output.h"

namespace omptarget {

namespace {

const char *kind_of_file(mode_t mode) {
  if (S_ISLNK(mode))
    return "a symbolic link";
  if (S_ISDIR(mode))
    return "a folder";
  if (S_ISFIFO(mode))
    return "a FIFO";
  return "a device or a socket";
}

Status cannot(const char *what, const std::string &path) {
  return Status::error(format("cannot %s '%s': %s", what, shown_value(path).c_str(), std::strerror(errno)));
}

/// A file of a name of its own in the folder of the path.
int create_beside(const std::string &path, std::string &name) {
  constexpr int kAttempts = 100; // left behind by processes of the same number that were killed
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  for (int i = 0; i < kAttempts; ++i) {
    name = folder + format(".omptarget-%ld-%d", static_cast<long>(::getpid()), i);
    const int file =
        above_standard_files(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (file >= 0 || errno != EEXIST)
      return file;
  }
  return -1;
}

/// Small parts are gathered: a file may have very many of them.
bool write_parts(int file, std::span<const std::string_view> parts) {
  constexpr size_t kSmall = 4096, kGathered = 65536;
  std::string gathered;
  for (const std::string_view part : parts) {
    const bool is_small = part.size() <= kSmall;
    if (is_small)
      gathered += part;
    if (!is_small || gathered.size() >= kGathered) {
      if (!write_all(file, gathered) || (!is_small && !write_all(file, part)))
        return false;
      gathered.clear();
    }
  }
  return write_all(file, gathered);
}

} // namespace

Status check_result_file(const std::string &path) {
  struct stat facts{};
  if (::lstat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode))
    return Status::error(format("cannot write '%s': it is %s; only regular files are replaced",
                                shown_value(path).c_str(), kind_of_file(facts.st_mode)));
  return Status::ok();
}

Status replace_result_file(const std::string &path, std::string_view text) {
  return replace_result_file(path, std::span(&text, 1));
}

Status replace_result_file(const std::string &path, std::span<const std::string_view> parts) {
  OMPTARGET_TRY(check_result_file(path));
  std::string name;
  const int file = create_beside(path, name);
  if (file < 0)
    return cannot("write", path);
  if (struct stat old{}; ::lstat(path.c_str(), &old) == 0)
    (void)::fchmod(file, old.st_mode & 0777);
  Status status = write_parts(file, parts) ? Status::ok() : cannot("write", path);
  if (::close(file) != 0 && errno != EINTR && status)
    status = cannot("write", path);
  if (status && ::rename(name.c_str(), path.c_str()) != 0)
    status = cannot("replace", path);
  if (!status)
    (void)::unlink(name.c_str());
  return status;
}

} // namespace omptarget
