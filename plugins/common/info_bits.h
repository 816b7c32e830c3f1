// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which information LIBOMPTARGET_INFO, or the host library, asks the plugin for.
#pragma once

#include <atomic>
#include <cstdint>

namespace omptarget {

/// Bits of LIBOMPTARGET_INFO that plugins print.
inline constexpr uint32_t kInfoKernels = 0x10;

/// Not of LIBOMPTARGET_INFO: the last launches are kept (OFFLOAD_TRACK_NUM_KERNEL_LAUNCH_TRACES). Beside the others, so
/// that a launch looks at one number.
inline constexpr uint64_t kKeepsLaunches = uint64_t{1} << 33;

namespace info_internal {
inline constexpr uint64_t kUnread = uint64_t{1} << 32;
extern std::atomic<uint64_t> bits; ///< kUnread: LIBOMPTARGET_INFO was not read yet
uint64_t read_bits();
} // namespace info_internal

void set_info_bits(uint32_t bits);
/// Returns whether information of this kind is asked for. Any thread.
inline bool wants_info(uint64_t bit) {
  const uint64_t bits = info_internal::bits.load(std::memory_order_relaxed);
  if (bits == 0) [[likely]]
    return false;
  return ((bits == info_internal::kUnread ? info_internal::read_bits() : bits) & bit) != 0;
}

} // namespace omptarget
