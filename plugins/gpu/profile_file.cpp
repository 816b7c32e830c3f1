// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/profile_file.h"

#include <cctype>
#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guarded.h"
#include "base/own_file.h"
#include "base/process_rank.h"
#include "base/settings.h"
#include "base/text_output.h"

namespace omptarget::gpu {

namespace {

constexpr const char *kTemporary = "TMPDIR";

Status cannot(const char *what, const std::string &path) {
  return Status::error(format("cannot %s '%s': %s", what, path.c_str(), std::strerror(errno)));
}

class File {
public:
  explicit File(const std::string &path)
      : number_(above_standard_files(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666))) {}
  ~File() {
    if (number_ >= 0)
      ::close(number_);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  int number() const { return number_; }

private:
  const int number_;
};

// Failures show when the file cannot be opened.
void make_folders(const std::string &path) {
  for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    (void)::mkdir(path.substr(0, at).c_str(), 0777);
}

bool read_all(int file, std::string &contents) {
  char part[4096];
  for (ssize_t count = 0; (count = ::read(file, part, sizeof(part))) != 0;) {
    if (count > 0)
      contents.append(part, static_cast<size_t>(count));
    else if (errno != EINTR)
      return false;
  }
  return true;
}

/// Adds a profile to a file, or to nothing.
Status write_file(const std::string &path, const RawProfile &profile, bool replaces) {
  make_folders(path);
  const File file(path);
  struct stat facts{};
  if (file.number() < 0 || ::fstat(file.number(), &facts) != 0)
    return cannot("write", path);
  if (!S_ISREG(facts.st_mode))
    return Status::error(format("cannot write '%s': it is no regular file", path.c_str()));
  while (::flock(file.number(), LOCK_EX) != 0 && errno == EINTR) {
  }
  std::string contents;
  if (!replaces && !read_all(file.number(), contents))
    return cannot("read", path);
  OMPTARGET_TRY_DURING(add_profile(contents, profile), "cannot add to '%s'", path.c_str());
  if (::lseek(file.number(), 0, SEEK_SET) != 0 || !write_all(file.number(), contents) ||
      ::ftruncate(file.number(), static_cast<off_t>(contents.size())) != 0)
    return cannot("write", path);
  return Status::ok();
}

} // namespace

std::string profile_path(const ProfileName &name, bool &merges) {
  const std::string &pattern = name.pattern;
  merges = false;
  std::string path;
  for (size_t i = 0; i < pattern.size(); ++i) {
    size_t at = i + 1; // behind %
    unsigned long pool = 0;
    while (at < pattern.size() && std::isdigit(static_cast<unsigned char>(pattern[at])) != 0 && pool < 1000)
      pool = pool * 10 + static_cast<unsigned long>(pattern[at++] - '0');
    const char kind = pattern[i] == '%' && at < pattern.size() ? pattern[at] : '\0';
    if (kind == 'm') {
      merges = true;
      path += format("%" PRIu64 "_%lu", name.signature, pool > 1 ? static_cast<unsigned long>(::getpid()) % pool : 0ul);
    } else if (kind == '\0' || at != i + 1 || !std::strchr("phtbc", kind)) {
      path += pattern[i];
      continue;
    } else if (kind == 'p') {
      path += std::to_string(::getpid());
    } else if (kind == 'h') {
      path += machine_name();
    } else if (kind == 't') {
      path += name.temporary + "/";
    } else if (kind == 'b') {
      path += format("%016" PRIx64, name.signature);
    }
    i = at;
  }
  const size_t slash = path.rfind('/');
  const size_t begin = slash == std::string::npos ? 0 : slash + 1;
  return path.substr(0, begin) + name.target + "." + path.substr(begin);
}

Result<std::string> write_profile(const RawProfile &profile, const char *target) {
  static auto *const written = new Guarded<std::set<std::string>>; // for threads that outlive the program's objects
  ProfileName name;
  const char *const pattern = setting_text(SettingId::kProfileFile);
  name.pattern = pattern ? pattern : setting_row(SettingId::kProfileFile).default_value;
  name.target = target;
  const char *const temporary = ::secure_getenv(kTemporary);
  name.temporary = temporary ? temporary : "";
  name.signature = profile_signature(profile);
  bool merges = false;
  const std::string path = profile_path(name, merges);
  auto files = written->lock();
  OMPTARGET_TRY(write_file(path, profile, !merges && !files->contains(path)));
  files->insert(path);
  return path;
}

} // namespace omptarget::gpu
