// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/jit/process.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jit/result_format.h"

namespace omptarget::jit_compiler {

namespace {

constexpr rlim_t kMostMemory = rlim_t{16} << 30;
constexpr int kFirstFile = 3;
constexpr int kFilesWithoutCloseRange = 1024;

void limit(int resource, rlim_t most) {
  rlimit now{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0)
    return;
  now.rlim_cur = now.rlim_cur == RLIM_INFINITY ? most : std::min(now.rlim_cur, most);
  (void)setrlimit(static_cast<__rlimit_resource>(resource), &now);
}

void write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      fail(std::string("cannot write: ") + std::strerror(errno));
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

std::string read_all(int file) {
  std::string bytes;
  char block[1 << 16];
  for (;;) {
    const ssize_t count = ::read(file, block, sizeof block);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      fail(std::string("cannot read: ") + std::strerror(errno));
    if (count == 0)
      return bytes;
    bytes.append(block, static_cast<size_t>(count));
  }
}

} // namespace

void fail(const std::string &text) {
  std::fprintf(stderr, "omptarget-jit: %s\n", text.c_str());
  std::fflush(stderr);
  _exit(1); // no destructors of LLVM's
}

void limit_process(unsigned seconds) {
  // A killed program, or one that the terminal has interrupted, leaves no compiler behind. The thread that waits for
  // this process has started it.
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, kMostMemory);
  limit(RLIMIT_FSIZE, jit::kMostBytes);
  limit(RLIMIT_CPU, seconds);
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, kFirstFile, ~0u, 0u) == 0)
    return;
#endif
  for (int file = kFirstFile; file < kFilesWithoutCloseRange; ++file)
    ::close(file);
}

std::string read_input() { return read_all(STDIN_FILENO); }

MemoryFile::MemoryFile(const char *name) : descriptor_(memfd_create(name, 0)) {
  if (descriptor_ < 0)
    fail(std::string("cannot make a file in memory: ") + std::strerror(errno));
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

void MemoryFile::write(std::string_view bytes) const { write_all(descriptor_, bytes); }

std::string MemoryFile::contents() const {
  if (::lseek(descriptor_, 0, SEEK_SET) != 0)
    fail(std::string("cannot read a file in memory: ") + std::strerror(errno));
  return read_all(descriptor_);
}

void write_result(std::string_view bytes) {
  const jit::ResultHead head = jit::result_head(bytes.size());
  write_all(STDOUT_FILENO, {reinterpret_cast<const char *>(&head), sizeof head});
  write_all(STDOUT_FILENO, bytes);
}

} // namespace omptarget::jit_compiler
