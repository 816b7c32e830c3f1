// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/text_output.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <unistd.h>

#include "base/format.h"
#include "base/process_rank.h"

namespace omptarget {

namespace {

constexpr uint32_t kInvalid = UINT32_MAX;

struct Character {
  uint32_t code; ///< or kInvalid
  size_t length; ///< bytes
};

/// The UTF-8 character that the text begins with.
Character first_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80)
    return {first, 1};
  const size_t length = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first >= 0xf5 || text.size() < length)
    return {kInvalid, 1};
  uint32_t code = first & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80)
      return {kInvalid, 1};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code < kLeast[length] || code > 0x10ffff || is_surrogate ? Character{kInvalid, 1} : Character{code, length};
}

bool is_control(uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == kInvalid; }

/// kept: controls that stay as they are.
std::string with_visible_controls(std::string_view text, std::string_view kept) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::string_view bytes = text.substr(0, character.length);
    text.remove_prefix(character.length);
    if (!is_control(character.code) || kept.find(bytes) != std::string_view::npos) {
      result += bytes;
      continue;
    }
    for (const char byte : bytes)
      result.append("\\x").append(1, kDigits[static_cast<unsigned char>(byte) >> 4]).append(1, kDigits[byte & 15]);
  }
  return result;
}

/// Keeps the signals that a write sends to its own thread from the program.
class WriteSignals {
public:
  WriteSignals() {
    sigemptyset(&ours_);
    sigaddset(&ours_, SIGPIPE);
    sigaddset(&ours_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &ours_, &before_);
    // Those that the program has blocked, and that wait already, are its own.
    for (const int signal : {SIGPIPE, SIGXFSZ})
      if (sigismember(&pending, signal) == 1)
        sigdelset(&ours_, signal);
  }
  WriteSignals(const WriteSignals &) = delete;
  WriteSignals &operator=(const WriteSignals &) = delete;
  ~WriteSignals() {
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }

  /// After a write that has failed.
  void take_away() const {
    const int error = errno;
    const timespec now{};
    while (sigtimedwait(&ours_, nullptr, &now) > 0 || errno == EINTR) {
    }
    errno = error;
  }

private:
  sigset_t ours_, before_;
};

} // namespace

std::string printable(std::string_view text) {
  std::string result = with_visible_controls(text, "\t\n");
  for (size_t at = result.find('\n'); at != std::string::npos; at = result.find('\n', at + 1))
    result.insert(at + 1, "  ");
  return result;
}

std::string shown_value(std::string_view value) {
  constexpr size_t kLongest = 1000, kShown = 100; // a path may have hundreds of characters
  if (value.size() <= kLongest)
    return std::string(value);
  return std::string(value.substr(0, kShown)) + "... (" + std::to_string(value.size()) + " characters)";
}

std::string printable_name(std::string_view text) { return with_visible_controls(text, {}); }

bool write_all(int file, std::string_view bytes) {
  const WriteSignals signals;
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0) {
      signals.take_away();
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

int status_after_output(const char *tool, int status, int failure) {
  int error = std::fflush(stdout) == 0 ? 0 : errno;
  if (error == 0 && std::ferror(stdout) != 0)
    error = EIO; // which one it was, nobody has kept
  // Some file systems tell only now. A stdout that was never open, and that nothing was written to, has lost nothing.
  if (std::fclose(stdout) != 0 && error == 0 && errno != EBADF)
    error = errno;
  if (error == 0)
    return status;
  write_error_line(format("%s: cannot write to stdout: %s", tool, std::strerror(error)));
  return failure;
}

void write_error_line(std::string_view text) { (void)write_all(STDERR_FILENO, line_prefix() + printable(text) + '\n'); }

} // namespace omptarget
