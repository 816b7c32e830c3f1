// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/atomic_wait.h"

#include <climits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace omptarget {

namespace {

constexpr size_t kPlaces = 16;
constinit WaitPlace places[kPlaces];

} // namespace

WaitPlace &WaitPlace::of(const void *word) {
  const auto address = reinterpret_cast<uintptr_t>(word);
  return places[(address >> 3 ^ address >> 9) % kPlaces];
}

void WaitPlace::forget_all() {
  for (WaitPlace &place : places)
    place.waiters.store(0, std::memory_order_relaxed);
}

void WaitPlace::sleep(uint32_t seen) {
  static_assert(sizeof changes == sizeof(uint32_t));
  ::syscall(SYS_futex, &changes, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

void WaitPlace::wake_all() {
  changes.fetch_add(1, std::memory_order_seq_cst);
  ::syscall(SYS_futex, &changes, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace omptarget
