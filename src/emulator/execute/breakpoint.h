// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the executor tells what instructions do with registers. Shared by all targets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace emulator::executor {

/// A line, a thread, or a thread at a line.
struct Breakpoint {
  bool is_set = false;
  std::string file;                      ///< end of its path; none: any
  uint32_t line = 0;                     ///< 0: any
  std::optional<uint32_t> block, thread; ///< the block's x; the thread's number in the block

  /// SIM_EXECUTOR_BREAK=[FILE:]LINE, SIM_EXECUTOR_BREAK_BLOCK=N, SIM_EXECUTOR_BREAK_THREAD=N. Ends the process if they
  /// say something else.
  static Breakpoint from_environment();
  bool is_at(std::string_view path, uint32_t at) const;
  bool is_for(uint32_t of_block, uint32_t of_thread) const {
    return (!block || *block == of_block) && (!thread || *thread == of_thread);
  }
};

/// A register's value as text.
std::string register_text(uint64_t value, unsigned bits, bool is_float);
/// " name=value", or " name=before->now".
std::string register_change(const std::string &name, const std::string &before, const std::string &now);
/// "f.c:12, block 0, thread 3: "
std::string breakpoint_place(std::string_view path, uint32_t line, uint32_t block, uint32_t thread);

} // namespace emulator::executor
