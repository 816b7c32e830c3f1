// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/image_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/own_file.h"
#include "base/process_rank.h"
#include "base/settings.h"
#include "base/text_output.h"

namespace omptarget::host {

namespace {

constinit std::atomic<uint64_t> image_counter{0};
constinit std::atomic<rlim_t> kept_files{0};

rlim_t max_kept_files() {
  constexpr rlim_t kMost = 64, kShare = 16;
  rlimit files{};
  return ::getrlimit(RLIMIT_NOFILE, &files) == 0 ? std::min(kMost, files.rlim_cur / kShare) : 0;
}

/// Counts one more, if there may be one more.
bool keep_one_more() {
  const rlim_t most = max_kept_files();
  rlim_t count = kept_files.load(std::memory_order_relaxed);
  while (count < most)
    if (kept_files.compare_exchange_weak(count, count + 1, std::memory_order_relaxed))
      return true;
  return false;
}

int memory_file() {
#ifdef MFD_EXEC
  constexpr unsigned kExecutable = MFD_EXEC;
#else
  constexpr unsigned kExecutable = 0x10u;
#endif
  // Kernels before 6.3 do not know the flag and need none.
  const int file = ::memfd_create("omptarget-image", MFD_CLOEXEC | kExecutable);
  return file >= 0 ? file : ::memfd_create("omptarget-image", MFD_CLOEXEC);
}

} // namespace

std::string unique_path_of(int file) {
  std::string path = format("/proc/%ld/", static_cast<long>(::getpid()));
  // The counter in binary: "./" is one and "/" is zero, both without effect in a path.
  for (uint64_t rest = image_counter.fetch_add(1, std::memory_order_relaxed); rest != 0; rest >>= 1)
    path += (rest & 1) != 0 ? "./" : "/";
  return path + format("fd/%d", file);
}

ImageFile &ImageFile::operator=(ImageFile &&other) noexcept {
  close_file();
  file_ = std::exchange(other.file_, -1);
  device_ = other.device_;
  inode_ = other.inode_;
  is_temporary_ = std::exchange(other.is_temporary_, false);
  is_kept_ = std::exchange(other.is_kept_, false);
  is_to_close_ = other.is_to_close_;
  path_ = std::move(other.path_);
  return *this;
}

ImageFile::~ImageFile() { close_file(); }

void ImageFile::close_file() {
  remove_name();
  if (std::exchange(is_kept_, false))
    kept_files.fetch_sub(1, std::memory_order_relaxed);
  struct stat facts{};
  if (file_ >= 0 && ::fstat(file_, &facts) == 0 && facts.st_dev == device_ && facts.st_ino == inode_)
    ::close(file_);
  file_ = -1;
}

void ImageFile::remove_name() {
  if (std::exchange(is_temporary_, false))
    ::unlink(path_.c_str());
}

void ImageFile::release() {
  remove_name();
  if (!is_to_close_ && keep_one_more())
    is_kept_ = true;
  else
    close_file();
}

/// Checks that the dynamic linker will be able to open the path and to execute the file.
Status ImageFile::check_use() const {
  const int opened = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0)
    return Status::error(format("cannot open %s: %s", path_.c_str(), std::strerror(errno)));
  void *memory = ::mmap(nullptr, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, opened, 0);
  const int error = errno;
  ::close(opened);
  if (memory == MAP_FAILED)
    return Status::error(format("%s cannot be executed: %s", path_.c_str(), std::strerror(error)));
  ::munmap(memory, 1);
  return Status::ok();
}

Status ImageFile::create_in_memory(std::string_view bytes) {
  file_ = above_standard_files(memory_file());
  if (file_ < 0)
    return Status::error(format("cannot make a file in memory: %s", std::strerror(errno)));
  struct stat facts{};
  if (::fstat(file_, &facts) != 0 || !write_all(file_, bytes))
    return Status::error(format("cannot write a file in memory: %s", std::strerror(errno)));
  device_ = facts.st_dev;
  inode_ = facts.st_ino;
  path_ = unique_path_of(file_);
  return check_use();
}

Status ImageFile::create_temporary(std::string_view bytes) {
  const char *folder = ::secure_getenv("TMPDIR");
  path_ = format("%s/omptarget-%ld-%llu-XXXXXX", folder && *folder ? folder : "/tmp", static_cast<long>(::getpid()),
                 static_cast<unsigned long long>(image_counter.fetch_add(1, std::memory_order_relaxed)));
  file_ = above_standard_files(::mkostemp(path_.data(), O_CLOEXEC));
  if (file_ < 0)
    return Status::error(format("cannot make the temporary file %s: %s", path_.c_str(), std::strerror(errno)));
  is_temporary_ = true;
  struct stat facts{};
  if (::fstat(file_, &facts) != 0 || !write_all(file_, bytes))
    return Status::error(format("cannot write the temporary file %s: %s", path_.c_str(), std::strerror(errno)));
  device_ = facts.st_dev;
  inode_ = facts.st_ino;
  return Status::ok();
}

/// A file that outlives the process, for tools that look at it later.
Status ImageFile::create_kept(const char *folder, std::string_view bytes) {
  const auto number = static_cast<unsigned long long>(image_counter.fetch_add(1, std::memory_order_relaxed));
  path_ = format("%s/omptarget-%s-%ld-%llu.so", file_name_of_process(folder).c_str(), program_invocation_short_name,
                 static_cast<long>(::getpid()), number);
  constexpr mode_t kOwnersOnly = 0700;
  file_ =
      above_standard_files(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kOwnersOnly));
  if (file_ < 0)
    return Status::error(format("cannot make %s: %s", shown_value(path_).c_str(), std::strerror(errno)));
  is_to_close_ = true;
  struct stat facts{};
  if (::fstat(file_, &facts) != 0 || !write_all(file_, bytes))
    return Status::error(format("cannot write %s: %s", shown_value(path_).c_str(), std::strerror(errno)));
  device_ = facts.st_dev;
  inode_ = facts.st_ino;
  return check_use();
}

Result<ImageFile> ImageFile::create(std::string_view bytes) {
  if (const char *const folder = setting_text(SettingId::kKeepImages)) {
    ImageFile kept;
    Status status = kept.create_kept(folder, bytes);
    if (status.is_ok())
      return kept;
    warn_about_setting(SettingId::kKeepImages, status.to_string() + "; the image has no file that stays");
    status.consume();
  }
  ImageFile in_memory;
  Status status = in_memory.create_in_memory(bytes);
  if (status.is_ok())
    return in_memory;
  OMPTARGET_TRACE(Topic::kImage, "%s; a temporary file is used", status.to_string().c_str());
  ImageFile temporary;
  Status other = temporary.create_temporary(bytes);
  if (other.is_ok())
    return temporary;
  return std::move(other).during(status.to_string());
}

} // namespace omptarget::host
