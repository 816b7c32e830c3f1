// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line on the terminal about a launch that takes long. The launch rewrites it, and erases it at its end.
// A process has one such line, whatever number of launches run at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace emulator::executor {

/// The line of one launch. If standard error is no terminal, it stays silent. One thread at a time.
class Progress {
public:
  /// teams: of the launch. after: milliseconds until the line appears; nothing: it never does.
  Progress(std::string kernel, uint64_t teams, std::optional<uint32_t> after);
  /// Erases the line.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Tells how many teams have ended, and how many instructions have run. Reads the clock now and then.
  void note(uint64_t ended, uint64_t executed) {
    if (executed >= next_look_)
      look(ended, executed);
  }

private:
  using Clock = std::chrono::steady_clock;
  void look(uint64_t ended, uint64_t executed);
  std::string describe(uint64_t ended, Clock::duration elapsed) const;

  const std::string kernel_;
  const uint64_t teams_;
  const Clock::duration period_; ///< between two versions of the line
  const Clock::time_point begin_;
  Clock::time_point next_draw_;
  uint64_t next_look_; ///< an instruction
};

/// Erases the line for a message on the terminal; while it lives, no launch draws the line. Any thread.
class ProgressPause {
public:
  ProgressPause();

private:
  std::unique_lock<std::mutex> lock_;
};

} // namespace emulator::executor
