// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the names of mapped data may lie: a module that goes away takes its names with it, and most have given none.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace omptarget {

/// A set of pages, which may seem to hold more than was noted. Any thread; who asks sees what was noted before by who
/// it has met.
class NamePages {
public:
  void note(const char *name) {
    if (!name)
      return;
    const uintptr_t page = reinterpret_cast<uintptr_t>(name) >> kPageBits;
    std::atomic<uint64_t> &word = word_of(page);
    if (!(word.load(std::memory_order_relaxed) & bit_of(page)))
      word.fetch_or(bit_of(page), std::memory_order_relaxed);
  }
  /// Returns whether a name that was noted may lie in [begin, end).
  bool may_lie_in(uintptr_t begin, uintptr_t end) const {
    const uintptr_t first = begin >> kPageBits;
    const uintptr_t pages = std::min<uintptr_t>(((end - 1) >> kPageBits) - first + 1, 64 * kWords);
    for (uintptr_t page = first; page < first + pages; ++page)
      if (word_of(page).load(std::memory_order_relaxed) & bit_of(page))
        return true;
    return false;
  }

private:
  static constexpr unsigned kPageBits = 12;
  static constexpr size_t kWords = 64;
  static uint64_t bit_of(uintptr_t page) { return uint64_t{1} << (page % 64); }
  std::atomic<uint64_t> &word_of(uintptr_t page) { return words_[page / 64 % kWords]; }
  const std::atomic<uint64_t> &word_of(uintptr_t page) const { return words_[page / 64 % kWords]; }

  std::atomic<uint64_t> words_[kWords] = {};
};

} // namespace omptarget
