// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See progress.h.

#include "progress.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#include "at_exit.h"

namespace emulator::executor {

namespace {

constexpr std::chrono::milliseconds kPeriod{250};
constexpr uint64_t kInstructions = 1 << 16; ///< between two looks at the clock
constexpr std::string_view kErase = "\r\033[K";

// The line of the process.
struct Line {
  std::mutex mutex;
  const Progress *owner = nullptr; ///< the launch that the line tells of
  bool is_shown = false;
  bool has_ended = false; ///< the process ends
  /// That draws. A child of a fork has no line, and the lock may be held in it for ever.
  std::atomic<pid_t> process{0};
};
Line &line() {
  static constinit Line line;
  return line;
}

bool is_child() {
  const pid_t process = line().process.load(std::memory_order_relaxed);
  return process != 0 && process != getpid();
}

void write_text(std::string_view text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0)
    line().has_ended = true; // the terminal has gone
}

void erase() { // its mutex is held
  if (line().is_shown)
    write_text(kErase);
  line().is_shown = false;
}

void end_progress() {
  if (is_child())
    return;
  const std::lock_guard lock(line().mutex);
  erase();
  line().has_ended = true;
}

// A process in the background leaves the terminal to others.
bool is_terminal() {
  if (isatty(STDERR_FILENO) == 0)
    return false;
  const char *const kind = std::getenv("TERM");
  const pid_t foreground = tcgetpgrp(STDERR_FILENO);
  return (!kind || std::string_view(kind) != "dumb") && (foreground == -1 || foreground == getpgrp());
}

size_t columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
}

std::string text_of(std::chrono::seconds time) {
  const auto seconds = time.count();
  if (seconds < 100)
    return std::to_string(seconds) + " s";
  if (seconds < 100 * 60)
    return std::to_string((seconds + 30) / 60) + " min";
  return std::to_string((seconds + 30 * 60) / (60 * 60)) + " h";
}

} // namespace

Progress::Progress(std::string kernel, uint64_t teams, std::optional<uint32_t> after)
    : kernel_(std::move(kernel)), teams_(teams),
      period_(std::min<Clock::duration>(kPeriod, std::chrono::milliseconds(after.value_or(0)))), begin_(Clock::now()),
      next_draw_(begin_ + std::chrono::milliseconds(after.value_or(0))),
      next_look_(after ? 0 : std::numeric_limits<uint64_t>::max()) {}

Progress::~Progress() {
  if (next_look_ == std::numeric_limits<uint64_t>::max() || is_child())
    return;
  const std::lock_guard lock(line().mutex);
  if (line().owner != this)
    return;
  line().owner = nullptr;
  erase();
}

std::string Progress::describe(uint64_t ended, Clock::duration elapsed) const {
  using std::chrono::seconds;
  std::string text = ": " + std::to_string(ended) + " of " + std::to_string(teams_) + " teams done in " +
                     text_of(std::chrono::duration_cast<seconds>(elapsed));
  if (ended != 0) {
    const double left = std::chrono::duration<double>(elapsed).count() * static_cast<double>(teams_ - ended) /
                        static_cast<double>(ended);
    text += ", about " + text_of(seconds(static_cast<int64_t>(std::min(left, 1e9)))) + " left";
  }
  // A line that wraps cannot be rewritten. The end of a kernel's name tells most.
  const std::string_view head = "kernel ", gap = "...";
  const size_t room = columns() - 1, taken = head.size() + text.size();
  std::string name = kernel_;
  if (taken + name.size() > room)
    name = room > taken + gap.size() ? std::string(gap) + name.substr(name.size() - (room - taken - gap.size())) : "";
  return (std::string(head) + name + text).substr(0, room);
}

void Progress::look(uint64_t ended, uint64_t executed) {
  next_look_ = executed + kInstructions;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_)
    return;
  next_draw_ = now + period_;
  if (is_child())
    return;
  const std::lock_guard lock(line().mutex);
  if (line().has_ended || (line().owner && line().owner != this) || !is_terminal())
    return;
  if (line().process.load(std::memory_order_relaxed) == 0) {
    line().process.store(getpid(), std::memory_order_relaxed);
    at_exit(end_progress);
  }
  line().owner = this;
  line().is_shown = true;
  write_text(std::string(kErase) + describe(ended, now - begin_));
}

ProgressPause::ProgressPause() {
  if (is_child())
    return;
  lock_ = std::unique_lock(line().mutex);
  erase();
}

} // namespace emulator::executor
