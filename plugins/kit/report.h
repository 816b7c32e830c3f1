// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of a check: which functions it tried, what is wrong, why it was left out. Written by the child process
// that runs the check as it happens, so that nothing is lost if the plugin crashes; read by the parent.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/format.h"

namespace omptarget::check {

/// Writes to the parent. One check at a time; failures may be reported by any thread.
class Report {
public:
  explicit Report(int file) : file_(file) {}

  /// That a function (without __tgt_rtl_) is about to be tried, and with what.
  void tries(const char *function, const char *what);
  /// The same for what only prepares the check.
  void uses(const char *function, const char *what);
  /// Reports a failure. The check goes on.
  [[gnu::format(printf, 2, 3)]] void fail(const char *pattern, ...);
  /// Why the check, or the rest of it, cannot be done.
  [[gnu::format(printf, 2, 3)]] void leave_out(const char *pattern, ...);
  /// A fact worth reading.
  [[gnu::format(printf, 2, 3)]] void note(const char *pattern, ...);

private:
  void write(char kind, const std::string &text);
  int file_;
};

/// The parent's copy of the report of one check.
struct Outcome {
  std::vector<std::string> failures;
  std::vector<std::string> left_out;
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, std::string>> tried; ///< function, with what
  bool has_tried = false;                                 ///< something else than preparations

  bool is_failed() const { return !failures.empty(); }
  bool is_left_out() const { return failures.empty() && !has_tried && !left_out.empty(); }
};

/// Adds the line that Report wrote.
void add_line(Outcome &outcome, const std::string &line);

} // namespace omptarget::check
