// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells if memory of this process may be read or written, without doing it. A page that was found to be is remembered,
// so that the system is asked once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace omptarget {

/// Systems have pages of this size or of a multiple.
inline constexpr uintptr_t kSmallestPage = 4096;

/// Asks the system, which changes nothing. Both say yes if it gives no answer.
bool is_page_writable(const void *address);
bool is_page_readable(const void *address);

/// Returns whether the program handles accesses that the system refuses. Then writing may work nevertheless.
bool handles_refused_accesses();

/// Pages that were found to be writable, or readable, lately. Any thread. It may forget.
class NotedPages {
public:
  bool has(uintptr_t page) const { return place_of(page).load(std::memory_order_relaxed) == ~page; }
  void note(uintptr_t page) {
    has_any_.store(true, std::memory_order_relaxed);
    place_of(page).store(~page, std::memory_order_relaxed);
  }
  /// Other memory may have taken the place of what was noted.
  void forget_all() {
    if (!has_any_.exchange(false, std::memory_order_relaxed))
      return;
    for (std::atomic<uintptr_t> &place : places_)
      place.store(0, std::memory_order_relaxed);
  }

private:
  static constexpr size_t kPlaces = size_t{1} << 14; ///< 128 kB, of which the places of used pages are touched
  std::atomic<uintptr_t> &place_of(uintptr_t page) { return places_[page % kPlaces]; }
  const std::atomic<uintptr_t> &place_of(uintptr_t page) const { return places_[page % kPlaces]; }
  std::atomic<uintptr_t> places_[kPlaces] = {}; ///< complements, as there is a page 0
  std::atomic<bool> has_any_{false};
};
extern NotedPages writable_pages;
extern NotedPages readable_pages;

/// Asks the system, and notes the page of begin if it can be written, and so be read. The data from begin on are
/// about to be written. valgrind checks the memory that is asked for, so it lies in them.
[[gnu::cold]] bool find_writable(const void *begin, size_t size);

/// Returns whether data may be written. size: at least 1. Looks at their first and last page: data of which only a part
/// between is write-protected are taken for writable. Asking for all pages would take as long as copying large data.
inline bool is_writable(const void *begin, size_t size) {
  const auto first = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t end = first + size;
  const uintptr_t page = first / kSmallestPage, last = (end - 1) / kSmallestPage;
  if (!writable_pages.has(page) && !find_writable(begin, size)) [[unlikely]]
    return false;
  if (page == last || writable_pages.has(last)) [[likely]]
    return true;
  const uintptr_t last_begin = last * kSmallestPage;
  return find_writable(reinterpret_cast<const void *>(last_begin), end - last_begin);
}

/// Asks the system, and notes the page of begin if it can be read.
[[gnu::cold]] bool find_readable(const void *begin);

/// Returns whether data are known to be readable. size: at least 1.
inline bool is_known_readable(const void *begin, size_t size) {
  const auto first = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t page = first / kSmallestPage, last = (first + size - 1) / kSmallestPage;
  return readable_pages.has(page) && (page == last || readable_pages.has(last));
}

/// The same as is_writable for data that are about to be read: those that are mapped anew, or updated. Yes if the
/// program handles refused accesses.
inline bool is_readable(const void *begin, size_t size) {
  if (is_known_readable(begin, size)) [[likely]]
    return true;
  const uintptr_t last = (reinterpret_cast<uintptr_t>(begin) + size - 1) / kSmallestPage * kSmallestPage;
  return find_readable(begin) &&
         (last <= reinterpret_cast<uintptr_t>(begin) || find_readable(reinterpret_cast<const void *>(last)));
}

} // namespace omptarget
