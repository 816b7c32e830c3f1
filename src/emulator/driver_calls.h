// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls that a stand-in received: how often each, which of them shall fail, and a list of them for tests.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <unistd.h>
#include <unordered_map>
#include <vector>

namespace emulator {

/// Any thread.
class Calls {
public:
  struct Options {
    const char *library;                    ///< as messages name the stand-in
    const char *fail_variable;              ///< environment variable that sim_*_fail gets
    const char *record_variable;            ///< a folder: each process writes its calls there, one a line
    long usual_failure;                     ///< result of a failing call if the variable names none
    std::vector<std::string> unlisted = {}; ///< calls that record() leaves out
  };
  explicit Calls(const Options &options) : options_(options) {
    if (const char *text = std::getenv(options_.fail_variable))
      set_failing(text);
    open_record();
  }

  /// Counts a call; what it shall fail with, if it shall.
  std::optional<long> enter(const char *name) {
    const std::lock_guard lock(mutex_);
    ++all_[name];
    const uint64_t number = ++since_set_[name];
    ++total_;
    note(name);
    for (const Failing &failing : failing_) {
      const bool any = failing.name == "*";
      if ((!any && failing.name != name) || (failing.number != 0 && failing.number != (any ? total_ : number)))
        continue;
      ++failed_;
      failed_name_ = name;
      return failing.result;
    }
    return std::nullopt;
  }
  /// Counts what cannot fail.
  void count(const char *name) {
    const std::lock_guard lock(mutex_);
    ++all_[name];
    note(name);
  }

  /// "NAME:N:RESULT", several separated by commas; see the stand-ins' headers.
  void fail(const char *what) {
    const std::lock_guard lock(mutex_);
    set_failing(what ? what : "");
  }
  uint64_t total() {
    const std::lock_guard lock(mutex_);
    return total_;
  }
  uint64_t failed() {
    const std::lock_guard lock(mutex_);
    return failed_;
  }
  const char *failed_name() {
    const std::lock_guard lock(mutex_);
    return failed_name_.c_str();
  }
  uint64_t count_of(const char *name) {
    const std::lock_guard lock(mutex_);
    return all_[name];
  }
  /// The calls since the last one, names in order with a space behind each; goes on with the list or ends it.
  const char *record(bool on) {
    const std::lock_guard lock(mutex_);
    given_.swap(list_);
    list_.clear();
    is_listing_ = on;
    return given_.c_str();
  }

  /// Prints a wrong use of the driver and counts it.
  void report_violation(const char *pattern, va_list arguments) {
    violations_.fetch_add(1);
    char text[1024];
    std::vsnprintf(text, sizeof(text), pattern, arguments);
    std::fprintf(stderr, "%s stand-in: wrong use: %s\n", options_.library, text);
  }
  uint64_t violations() const { return violations_.load(); }
  void forget_violations() { violations_.store(0); }
  /// For the end of the process: one that used the driver wrongly does not end well.
  void exit_after_violations() const {
    if (violations() == 0)
      return;
    std::fprintf(stderr, "%s stand-in: %lu wrong uses\n", options_.library, static_cast<unsigned long>(violations()));
    std::fflush(nullptr);
    _exit(70);
  }
  /// Nor does one that leaves something behind in the driver, where SIM_LEAKS=1 says that this counts.
  void exit_after_leaks(uint64_t live, uint64_t leaked) const {
    const char *counts = std::getenv("SIM_LEAKS");
    if (!counts || *counts != '1' || live + leaked == 0)
      return;
    std::fprintf(stderr, "%s stand-in: at exit %lu objects are there, %lu went with their context\n", options_.library,
                 static_cast<unsigned long>(live), static_cast<unsigned long>(leaked));
    std::fflush(nullptr);
    _exit(71);
  }

private:
  struct Failing {
    std::string name;
    uint64_t number; // 0: all
    long result;
  };

  void set_failing(const std::string &text) {
    failing_.clear();
    since_set_.clear();
    total_ = failed_ = 0;
    failed_name_.clear();
    size_t begin = 0;
    while (begin < text.size()) {
      const size_t end = std::min(text.find(',', begin), text.size());
      const std::string one = text.substr(begin, end - begin);
      begin = end + 1;
      const size_t first = one.find(':');
      const size_t second = first == std::string::npos ? first : one.find(':', first + 1);
      Failing failing{one.substr(0, first), 1, options_.usual_failure};
      if (first != std::string::npos)
        failing.number = one[first + 1] == '+' ? 0 : std::strtoull(one.c_str() + first + 1, nullptr, 10);
      if (second != std::string::npos)
        failing.result = std::strtol(one.c_str() + second + 1, nullptr, 0);
      failing_.push_back(failing);
    }
  }

  // FOLDER/PROGRAM.N, N the first that is not there yet.
  void open_record() {
    const char *folder = std::getenv(options_.record_variable);
    for (int number = 0; folder && !file_ && number < 1000; ++number)
      file_ = std::fopen(
          (std::string(folder) + "/" + program_invocation_short_name + "." + std::to_string(number)).c_str(), "wx");
    process_ = getpid();
  }

  void note(const char *name) { // mutex_ held
    if (is_listing_ && std::count(options_.unlisted.begin(), options_.unlisted.end(), name) == 0)
      list_ += std::string(name) + " ";
    if (file_ && process_ == getpid()) {
      std::fprintf(file_, "%s\n", name);
      std::fflush(file_);
    }
  }

  const Options options_;
  std::atomic<uint64_t> violations_{0};
  std::mutex mutex_;
  std::vector<Failing> failing_;
  std::unordered_map<std::string, uint64_t> since_set_; ///< calls since fail()
  std::unordered_map<std::string, uint64_t> all_;
  uint64_t total_ = 0, failed_ = 0;
  std::string failed_name_;
  bool is_listing_ = false;
  std::string list_, given_;
  std::FILE *file_ = nullptr;
  pid_t process_ = 0;
};

/// How many objects are not destroyed.
template <typename Objects> uint64_t count_live(const Objects &objects) {
  uint64_t live = 0;
  for (const auto &object : objects)
    live += !object->is_destroyed;
  return live;
}

/// Those of the stand-in, and what has a stand-in beside them (stand_in_functions.h).
Calls &calls();
uint64_t live_objects();
uint64_t leaked_objects();
void set_hold(bool hold);

} // namespace emulator
