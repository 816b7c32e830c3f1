// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "observe/listeners.h"

#include "base/log.h"
#include "observe/info.h"
#include "observe/listener_table.h"
#include "observe/ranges.h"

namespace omptarget::observe {

namespace internal {
constinit std::atomic<uint32_t> listeners{listener::kUnread};

uint32_t read_listeners() {
  uint32_t bits = info_mask() & listener::kInfo;
  if (traces(Topic::kKernel))
    bits |= listener::kLines;
  for (const Listener *const one : all_listeners)
    if (one->start && one->start())
      bits |= one->bits;
  static const bool has_ranges = start_ranges();
  if (has_ranges)
    bits |= listener::kRanges;
  listeners.fetch_or(bits, std::memory_order_relaxed);
  return listeners.fetch_and(~listener::kUnread, std::memory_order_relaxed) & ~listener::kUnread;
}
} // namespace internal

void set_listener(uint32_t bit, bool is_on) {
  if (is_on)
    internal::listeners.fetch_or(bit, std::memory_order_relaxed);
  else
    internal::listeners.fetch_and(~bit, std::memory_order_relaxed);
}

void set_info_listener(uint32_t mask) {
  std::atomic<uint32_t> &word = internal::listeners;
  uint32_t old = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(old, (old & ~listener::kInfo) | (mask & listener::kInfo),
                                     std::memory_order_relaxed)) {
  }
}

} // namespace omptarget::observe
