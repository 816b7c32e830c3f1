// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last actions of the threads of a random program, to be printed when it goes wrong.
#pragma once

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

namespace omptarget::test {

/// Written by any thread; printed when nobody checks any more.
class Diary {
public:
  static inline std::atomic<bool> is_kept{false};
  /// The calling thread's number.
  static inline thread_local int number = -1;

  [[gnu::format(printf, 1, 2)]] static void write(const char *pattern, ...) {
    if (!is_kept.load(std::memory_order_relaxed))
      return;
    Line &line = lines_[count_.fetch_add(1) % kLines];
    line.thread = number;
    va_list words;
    va_start(words, pattern);
    std::vsnprintf(line.text, sizeof line.text, pattern, words);
    va_end(words);
  }
  static void clear() { count_ = 0; }
  static void print() {
    const uint64_t count = count_.load();
    for (uint64_t i = count > kLines ? count - kLines : 0; i < count; ++i)
      std::printf("%llu thread %d: %s\n", static_cast<unsigned long long>(i), lines_[i % kLines].thread,
                  lines_[i % kLines].text);
  }

private:
  static constexpr uint64_t kLines = 400;
  struct Line {
    int thread;
    char text[116];
  };
  static inline std::atomic<uint64_t> count_{0};
  static inline Line lines_[kLines];
};

} // namespace omptarget::test
