// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers of a seed, and random delays at scheduling points.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

namespace omptarget::test {

/// The next number below 2^32; the state is not 0.
inline uint32_t next(uint64_t &state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return static_cast<uint32_t>(state >> 20);
}

/// The random numbers of the calling thread's delays. It sets the seed.
inline thread_local uint64_t delays = 1;

/// Delays the thread: of 64 calls, `sleeping` sleep, long enough for others to do whole constructs, and `yielding`
/// yield.
inline void delay_some(uint32_t sleeping, uint32_t yielding) {
  const uint32_t chance = next(delays) % 64;
  if (chance < sleeping)
    std::this_thread::sleep_for(std::chrono::microseconds(next(delays) % 200));
  else if (chance < sleeping + yielding)
    std::this_thread::yield();
}

} // namespace omptarget::test
