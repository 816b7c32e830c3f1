// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The content of fresh memory of a device. It differs with each SIM_EXECUTOR_SEED and in each allocation. It never
// could pass for a result: no floating-point number in it is near zero, no integer is small, no pointer aligned.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace emulator {

/// Fills the memory, or of a very large one the beginning. Any thread.
inline void fill_with_garbage(void *memory, size_t size) {
  constexpr size_t kMost = size_t{8} << 20;       // each page costs a fault
  constexpr uint64_t kLarge = 0x4000000140000001; // exponents and integers of four bytes or eight, and odd
  static const char *const seed = std::getenv("SIM_EXECUTOR_SEED");
  static std::atomic<uint64_t> allocations{(seed ? std::strtoull(seed, nullptr, 10) : 1) << 32};
  uint64_t word = (allocations.fetch_add(1, std::memory_order_relaxed) + 1) * 0x9E3779B97F4A7C15;
  auto *bytes = static_cast<char *>(memory);
  for (size_t left = std::min(size, kMost); left != 0;) {
    word ^= word << 13;
    word ^= word >> 7;
    word ^= word << 17;
    const uint64_t garbage = word | kLarge;
    const size_t part = std::min(left, sizeof garbage);
    std::memcpy(bytes, &garbage, part);
    bytes += part;
    left -= part;
  }
}

} // namespace emulator
