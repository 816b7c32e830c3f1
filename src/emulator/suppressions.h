// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings that the user does not want to count (omptarget-run --suppressions). A kernel goes on behind such a finding
// if it can. The report of omptarget-run reads the same files (execute/tool/run_and_report.py).
#pragma once

#include <cstdlib>
#include <fnmatch.h>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace emulator {

/// Read from SIM_EXECUTOR_SUPPRESSIONS: paths of files, one a line. Any thread.
class Suppressions {
public:
  static const Suppressions &all() {
    static const Suppressions &read = *new Suppressions(std::getenv("SIM_EXECUTOR_SUPPRESSIONS"));
    return read;
  }
  bool is_empty() const { return lines_.empty(); }
  bool has(const std::string &rule, const std::string &path, uint32_t line, const std::string &message) const {
    const std::string name = path.substr(path.rfind('/') + 1), number = ":" + std::to_string(line);
    const auto is = [](const std::string &pattern, const std::string &text) {
      return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
    };
    for (const Line &one : lines_)
      if (is(one.rule, rule) && is(one.text, message) &&
          (is(one.place, path) || is(one.place, name) || is(one.place, path + number) || is(one.place, name + number)))
        return true;
    return false;
  }

private:
  /// Patterns as of shells.
  struct Line {
    std::string rule, place, text;
  };
  explicit Suppressions(const char *paths) {
    std::istringstream names(paths ? paths : "");
    for (std::string path; std::getline(names, path);) {
      std::ifstream file(path);
      for (std::string line; std::getline(file, line);)
        read(line.substr(0, line.find('#')));
    }
  }
  void read(const std::string &words) {
    std::istringstream text(words);
    Line line{"", "*", "*"};
    if (!(text >> line.rule))
      return;
    text >> line.place >> std::ws;
    std::getline(text, line.text);
    line.text.erase(line.text.find_last_not_of(" \t") + 1);
    if (line.place.empty())
      line.place = "*";
    if (line.text.empty())
      line.text = "*";
    lines_.push_back(line);
  }

  std::vector<Line> lines_;
};

} // namespace emulator
