// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "jit/cache.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <llvm/Support/BLAKE3.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "base/own_file.h"
#include "base/settings.h"
#include "jit/file_limit.h"
#include "jit/result_format.h"
#include "plugin/own_folder.h"

namespace omptarget::jit {

namespace {

constexpr char kMagic[8] = {'O', 'M', 'P', 'T', 'C', 'A', 'C', '1'};
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;
constexpr std::string_view kEnding = ".image";
constexpr std::string_view kUnfinished = "tmp-";
constexpr size_t kNameLength = 2 * sizeof(Key); ///< of a key
constexpr time_t kUnfinishedSeconds = 3600;

struct FileHead {
  char magic[8];
  Key key;
  Key hash; ///< of the image
  uint64_t bytes;
};

Key hash_of(std::string_view bytes) {
  llvm::BLAKE3 hash;
  hash.update(llvm::StringRef(bytes.data(), bytes.size()));
  const auto result = hash.final();
  Key key;
  std::copy(result.begin(), result.end(), key.begin());
  return key;
}

class File {
public:
  explicit File(int number) : number_(above_standard_files(number)) {}
  ~File() {
    if (number_ >= 0)
      ::close(number_);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }

  bool read(void *target, size_t size) const { return transfer(::read, static_cast<char *>(target), size); }
  bool write(const void *source, size_t size) const {
    return transfer(::write, static_cast<const char *>(source), size);
  }

private:
  /// call: read or write, until all is done.
  template <typename Call, typename Byte> bool transfer(Call call, Byte *next, size_t size) const {
    while (size > 0) {
      const ssize_t count = call(number_, next, size);
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return false;
      next += count;
      size -= static_cast<size_t>(count);
    }
    return true;
  }

  int number_;
};

/// The folder of the settings, absolute, or empty. default_parent: the folder above the default one, which may be
/// missing, too.
std::string folder_path(std::string &default_parent) {
  const char *const set = setting_text(SettingId::kJitCache);
  const std::optional<bool> flag = set ? flag_of(set) : true; // on: the default folder
  if (flag != true)
    return flag == false ? std::string() : path_at_load(set);
  if (::getauxval(AT_SECURE) != 0)
    return {};
  const char *const cache = std::getenv("XDG_CACHE_HOME");
  const char *const home = std::getenv("HOME");
  if (cache && cache[0] == '/')
    default_parent = std::string(cache);
  else if (home && home[0] == '/')
    default_parent = std::string(home) + "/.cache";
  return default_parent.empty() ? "" : default_parent + "/omptarget/jit";
}

/// Makes the folders of the path from that length on, for this user only.
void make_folders(const std::string &path, size_t from) {
  for (size_t end = path.find('/', from); end != std::string::npos; end = path.find('/', end + 1))
    (void)::mkdir(path.substr(0, end).c_str(), S_IRWXU);
  (void)::mkdir(path.c_str(), S_IRWXU);
}

/// Returns whether nobody but this user and the system's administrator can have written it.
bool is_trusted(const struct stat &facts) {
  return (facts.st_uid == ::geteuid() || facts.st_uid == 0) && (facts.st_mode & kOthersWrite) == 0;
}

std::string file_name_of(const Key &key) { return name_of(key).append(kEnding); }

bool is_for(const FileHead &head, const Key &key) {
  return std::memcmp(head.magic, kMagic, sizeof kMagic) == 0 && head.key == key && head.bytes <= kMostBytes;
}

bool is_key_name(std::string_view text) {
  return text.size() == kNameLength && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Returns whether keep() gives such a name. The folder may hold other files of the user's, which must stay.
bool is_kept_name(std::string_view name) {
  return name.size() == kNameLength + kEnding.size() && is_key_name(name.substr(0, kNameLength)) &&
         name.ends_with(kEnding);
}

bool is_unfinished_name(std::string_view name) {
  return name.starts_with(kUnfinished) && name.size() > kUnfinished.size() + kNameLength &&
         is_key_name(name.substr(kUnfinished.size(), kNameLength)) && name[kUnfinished.size() + kNameLength] == '-';
}

struct KeptFile {
  std::string name;
  uint64_t bytes;
  timespec used;
};

bool is_used_earlier(const KeptFile &one, const KeptFile &other) {
  return one.used.tv_sec != other.used.tv_sec ? one.used.tv_sec < other.used.tv_sec
                                              : one.used.tv_nsec < other.used.tv_nsec;
}

/// The images in the folder. Removes what processes have left unfinished that ended meanwhile.
std::vector<KeptFile> kept_files(int folder) {
  std::vector<KeptFile> files;
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *const entries = copy < 0 ? nullptr : ::fdopendir(copy);
  if (!entries) {
    if (copy >= 0)
      ::close(copy);
    return files;
  }
  const time_t now = ::time(nullptr);
  while (const dirent *const entry = ::readdir(entries)) {
    const std::string_view name = entry->d_name;
    struct stat facts{};
    const bool is_kept = is_kept_name(name);
    if ((!is_kept && !is_unfinished_name(name)) || ::fstatat(folder, entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(facts.st_mode))
      continue;
    if (is_kept)
      files.push_back({entry->d_name, static_cast<uint64_t>(facts.st_size), facts.st_mtim});
    else if (facts.st_mtim.tv_sec + kUnfinishedSeconds < now)
      (void)::unlinkat(folder, entry->d_name, 0);
  }
  ::closedir(entries);
  return files;
}

} // namespace

std::string name_of(const Key &key) {
  std::string name;
  for (const uint8_t byte : key)
    name += format("%02x", byte);
  return name;
}

Cache::Cache() : most_bytes_(static_cast<uint64_t>(setting_in(SettingId::kJitCacheSize, 0, 1 << 24)) << 20) {
  std::string parent;
  const std::string path = folder_path(parent);
  if (path.empty())
    return;
  make_folders(path, parent.empty() ? path.size() : parent.size());
  const int folder = above_standard_files(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat facts{};
  std::string problem;
  if (folder < 0 || ::fstat(folder, &facts) != 0)
    problem = std::strerror(errno);
  else if (!is_trusted(facts))
    problem = "it is another user's, or others can write it";
  if (problem.empty()) {
    folder_ = folder;
    return;
  }
  if (folder >= 0)
    ::close(folder);
  problem = format("the folder %s is not used: %s; images are compiled each time", path.c_str(), problem.c_str());
  if (setting_is_set(SettingId::kJitCache) || folder >= 0)
    warn_about_setting(SettingId::kJitCache, problem);
  OMPTARGET_TRACE(Topic::kImage, "%s", problem.c_str());
}

Cache::~Cache() {
  if (folder_ >= 0)
    ::close(folder_);
}

std::optional<std::string> Cache::read(const Key &key) const {
  const std::string name = file_name_of(key);
  const File file(::openat(folder_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file)
    return std::nullopt;
  struct stat facts{};
  FileHead head{};
  if (::fstat(file.number(), &facts) != 0 || !S_ISREG(facts.st_mode) || !is_trusted(facts) ||
      !file.read(&head, sizeof head) || !is_for(head, key) ||
      static_cast<uint64_t>(facts.st_size) != sizeof head + head.bytes)
    return "";
  std::string image(head.bytes, '\0');
  if (!file.read(image.data(), image.size()) || hash_of(image) != head.hash)
    return "";
  (void)::futimens(file.number(), nullptr); // it was used now
  return image;
}

std::optional<std::string> Cache::find(const Key &key) const {
  std::optional<std::string> image = folder_ < 0 ? std::nullopt : read(key);
  if (image && image->empty()) {
    OMPTARGET_TRACE(Topic::kImage, "the kept image %s is damaged: it is removed", name_of(key).c_str());
    (void)::unlinkat(folder_, file_name_of(key).c_str(), 0);
    return std::nullopt;
  }
  return image;
}

bool Cache::write(const std::string &name, const Key &key, std::string_view image) const {
  const File file(::openat(folder_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  FileHead head{{}, key, hash_of(image), image.size()};
  std::memcpy(head.magic, kMagic, sizeof kMagic);
  return file && may_write(sizeof head + image.size()) && file.write(&head, sizeof head) &&
         file.write(image.data(), image.size());
}

void Cache::keep(const Key &key, std::string_view image) const {
  if (folder_ < 0 || image.size() > kMostBytes || image.size() + sizeof(FileHead) > most_bytes_)
    return;
  const std::string unfinished =
      format("%s%s-%ld-%llu", kUnfinished.data(), name_of(key).c_str(), static_cast<long>(::getpid()),
             static_cast<unsigned long long>(now_ns())); // processes on two nodes may have one number
  const std::string name = file_name_of(key);
  if (write(unfinished, key, image) && ::renameat(folder_, unfinished.c_str(), folder_, name.c_str()) == 0)
    return trim();
  OMPTARGET_TRACE(Topic::kImage, "the compiled image could not be kept: %s", std::strerror(errno));
  (void)::unlinkat(folder_, unfinished.c_str(), 0);
}

void Cache::trim() const {
  std::vector<KeptFile> files = kept_files(folder_);
  uint64_t bytes = 0;
  for (const KeptFile &file : files)
    bytes += file.bytes;
  if (bytes <= most_bytes_)
    return;
  std::sort(files.begin(), files.end(), is_used_earlier);
  for (const KeptFile &file : files) {
    if (bytes <= most_bytes_)
      return;
    if (::unlinkat(folder_, file.name.c_str(), 0) == 0)
      bytes -= file.bytes;
  }
}

Cache::Lock::Lock(const Cache &cache, const Key &key, Deadline deadline) {
  if (cache.folder_ < 0)
    return;
  // One of 256 files for all keys: they stay, since removing a lock's file while others wait for it loses the lock.
  const std::string name = format("lock-%02x", key[0]);
  file_ = above_standard_files(
      ::openat(cache.folder_, name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file_ < 0)
    return;
  const bool is_held = wait_until(
      deadline, [&] { return ::flock(file_, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR); });
  if (!is_held)
    OMPTARGET_TRACE(Topic::kImage, "another process does not give back %s; the image is compiled without it",
                    name.c_str());
}

Cache::Lock::~Lock() {
  if (file_ < 0)
    return;
  (void)::flock(file_, LOCK_UN); // a child of a fork may have the file open, too
  ::close(file_);
}

} // namespace omptarget::jit
