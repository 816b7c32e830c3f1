// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The listeners to what happens, as bits of one word: each place that reports something costs one predictable branch
// when nobody listens.
#pragma once

#include <atomic>
#include <cstdint>

namespace omptarget::observe {

/// Bits of the word. The low ones are those of LIBOMPTARGET_INFO (info.h).
namespace listener {
inline constexpr uint32_t kInfo = 0xff;
inline constexpr uint32_t kProfile = 1u << 16;  ///< LIBOMPTARGET_PROFILE
inline constexpr uint32_t kTool = 1u << 17;     ///< callbacks of an OMPT tool
inline constexpr uint32_t kTrace = 1u << 18;    ///< a tool's device trace is running
inline constexpr uint32_t kRanges = 1u << 19;   ///< a vendor's tool takes ranges
inline constexpr uint32_t kLines = 1u << 20;    ///< the trace wants the ends of constructs, kernels and waits
inline constexpr uint32_t kContents = 1u << 21; ///< a check follows mapped data
inline constexpr uint32_t kRecord = 1u << 22;   ///< a launch is still to be recorded (LIBOMPTARGET_RECORD)
inline constexpr uint32_t kUnread = 1u << 31;   ///< the environment was not read yet
} // namespace listener

namespace internal {
extern std::atomic<uint32_t> listeners;
uint32_t read_listeners();
} // namespace internal

/// The bits of those that listen now. Any thread.
inline uint32_t listeners() {
  const uint32_t word = internal::listeners.load(std::memory_order_relaxed);
  if (word == 0)
    return 0;
  return word & listener::kUnread ? internal::read_listeners() : word;
}

/// Adds or takes away one of kProfile, kTool, kTrace, kRecord. Any thread.
void set_listener(uint32_t bit, bool is_on);

/// The mask of LIBOMPTARGET_INFO has changed.
void set_info_listener(uint32_t mask);

} // namespace omptarget::observe
