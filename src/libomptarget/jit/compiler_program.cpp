// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "jit/compiler_program.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <spawn.h>
#include <string_view>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own_file.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "jit/file_limit.h"
#include "jit/result_format.h"
#include "plugin/own_folder.h"

extern char **environ;

namespace omptarget::jit {

namespace {

constexpr size_t kMostWords = 4096; ///< bytes of the program's own words in a failure

constexpr const char *kNotForCompiler[] = {"LD_PRELOAD=", "LD_AUDIT=", "LD_SHOW_AUXV="};

bool is_program(const std::string &path) {
  struct stat facts{};
  return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string find_program() {
  if (const char *const set = setting_text(SettingId::kJitCompiler)) {
    if (flag_of(set) == false)
      return {};
    std::string path = path_at_load(set);
    if (is_program(path))
      return path;
    warn_about_setting(SettingId::kJitCompiler, format("%s cannot be run; no other is used", shown_value(set).c_str()));
    return {};
  }
  if (own_folder().empty())
    return {};
  for (const char *const place :
       {"/omptarget/omptarget-jit", "/../lib/omptarget/omptarget-jit"}) // of library, of tools
    if (std::string path = own_folder() + place; is_program(path))
      return path;
  return {};
}

/// A file in memory, which child processes do not inherit. Unlike a pipe it cannot block, and nobody must read it.
class MemoryFile {
public:
  MemoryFile() = default;
  ~MemoryFile() {
    if (file_ >= 0)
      ::close(file_);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  Status open() {
    file_ = above_standard_files(memfd_create("omptarget-jit", MFD_CLOEXEC));
    return file_ < 0 ? failure("no file in memory can be made") : Status::ok();
  }

  /// Afterwards reading begins at the start.
  Status write(std::span<const std::byte> bytes) {
    if (!may_write(bytes.size()))
      return Status::error(format("the process may not write files of %zu bytes (ulimit -f)", bytes.size()));
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return failure("a file in memory cannot be written");
      bytes = bytes.subspan(static_cast<size_t>(count));
    }
    return ::lseek(file_, 0, SEEK_SET) == 0 ? Status::ok() : failure("a file in memory cannot be read");
  }

  /// The bytes from there on, at most so many.
  std::string read(size_t most, off_t from = 0) const {
    std::string bytes(most, '\0');
    size_t done = 0;
    while (done < most) {
      const ssize_t count = ::pread(file_, bytes.data() + done, most - done, from + static_cast<off_t>(done));
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        break;
      done += static_cast<size_t>(count);
    }
    bytes.resize(done);
    return bytes;
  }

  uint64_t size() const {
    struct stat facts{};
    return ::fstat(file_, &facts) == 0 ? static_cast<uint64_t>(facts.st_size) : 0;
  }

  int number() const { return file_; }

private:
  static Status failure(const char *what) { return Status::error(format("%s: %s", what, std::strerror(errno))); }

  int file_ = -1;
};

/// The environment without what would bring foreign code, or words of the dynamic linker (LD_SHOW_AUXV), into the
/// compiler's result. In a privileged process the variables are those of its user: none of them passes.
std::vector<char *> child_environment() {
  std::vector<char *> variables;
  for (char **variable = environ; variable && *variable && ::getauxval(AT_SECURE) == 0; ++variable)
    if (std::none_of(std::begin(kNotForCompiler), std::end(kNotForCompiler),
                     [&](const char *name) { return std::string_view(*variable).starts_with(name); }))
      variables.push_back(*variable);
  variables.push_back(nullptr);
  return variables;
}

/// The options of posix_spawn: a process group of its own, so that all of it can be killed; no signal blocked or
/// ignored.
class SpawnOrder {
public:
  SpawnOrder() {
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_init(&actions_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnOrder() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnOrder(const SpawnOrder &) = delete;
  SpawnOrder &operator=(const SpawnOrder &) = delete;

  void put(const MemoryFile &file, int number) { posix_spawn_file_actions_adddup2(&actions_, file.number(), number); }

  Result<pid_t> run(const std::string &path, const std::vector<std::string> &arguments) {
    std::vector<char *> words{const_cast<char *>(path.c_str())};
    for (const std::string &argument : arguments)
      words.push_back(const_cast<char *>(argument.c_str()));
    words.push_back(nullptr);
    pid_t process = 0;
    const int problem =
        ::posix_spawn(&process, path.c_str(), &actions_, &attributes_, words.data(), child_environment().data());
    if (problem != 0)
      return Status::error(format("%s cannot be run: %s", path.c_str(), std::strerror(problem)));
    return process;
  }

private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t actions_;
};

/// How the process ended: nothing if somebody else in the program has fetched that, or nobody kept it.
struct End {
  bool is_known = false;
  int state = 0;
};

/// Returns false if the deadline passes first.
bool wait_for_end(pid_t process, Deadline deadline, End &end) {
  return wait_until(deadline, [&] {
    const pid_t ended = ::waitpid(process, &end.state, WNOHANG);
    end.is_known = ended == process;
    return ended == process || (ended < 0 && errno != EINTR);
  });
}

std::string words_of(const MemoryFile &errors) {
  std::string words = errors.read(kMostWords);
  while (!words.empty() && (words.back() == '\n' || words.back() == ' '))
    words.pop_back();
  return words.empty() ? "" : ": " + words;
}

Status check_end(const std::string &path, const End &end, const MemoryFile &errors) {
  if (!end.is_known)
    return Status::ok(); // the result tells
  if (WIFSIGNALED(end.state))
    return Status::error(format("%s was ended by signal %d (%s)%s", path.c_str(), WTERMSIG(end.state),
                                strsignal(WTERMSIG(end.state)), words_of(errors).c_str()));
  if (WEXITSTATUS(end.state) != 0)
    return Status::error(format("%s ended with %d%s", path.c_str(), WEXITSTATUS(end.state), words_of(errors).c_str()));
  return Status::ok();
}

Result<std::string> result_in(const std::string &path, const MemoryFile &output, const MemoryFile &errors) {
  const std::string start = output.read(sizeof(ResultHead));
  ResultHead head{};
  std::memcpy(&head, start.data(), std::min(start.size(), sizeof head));
  const uint64_t size = output.size();
  if (start.size() < sizeof head || std::memcmp(head.magic, kResultMagic, sizeof kResultMagic) != 0 ||
      size - sizeof head != head.bytes || head.bytes == 0 || head.bytes > kMostBytes)
    return Status::error(format("%s has not written a whole image%s", path.c_str(), words_of(errors).c_str()));
  std::string image = output.read(head.bytes, sizeof head);
  if (image.size() != head.bytes)
    return Status::error(format("what %s has written cannot be read", path.c_str()));
  return image;
}

} // namespace

const std::string &compiler_program() {
  static const auto *const program = new std::string(find_program());
  return *program;
}

Result<std::string> run_compiler(const std::string &path, const std::vector<std::string> &arguments,
                                 std::span<const std::byte> input, Deadline deadline) {
  const auto begin = std::chrono::steady_clock::now();
  MemoryFile bitcode;
  MemoryFile output;
  MemoryFile errors;
  OMPTARGET_TRY(bitcode.open());
  OMPTARGET_TRY(output.open());
  OMPTARGET_TRY(errors.open());
  OMPTARGET_TRY(bitcode.write(input));
  SpawnOrder order;
  order.put(bitcode, STDIN_FILENO);
  order.put(output, STDOUT_FILENO);
  order.put(errors, STDERR_FILENO);
  OMPTARGET_TRY_ASSIGN(const pid_t process, order.run(path, arguments));
  End end;
  if (!wait_for_end(process, deadline, end)) {
    ::kill(-process, SIGKILL);
    (void)wait_for_end(process, std::chrono::steady_clock::now() + std::chrono::seconds(10), end);
    const auto took = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin);
    return Status::error(format("%s was stopped after %lld s (LIBOMPTARGET_JIT_TIMEOUT)%s", path.c_str(),
                                static_cast<long long>(took.count()), words_of(errors).c_str()));
  }
  OMPTARGET_TRY(check_end(path, end, errors));
  return result_in(path, output, errors);
}

} // namespace omptarget::jit
