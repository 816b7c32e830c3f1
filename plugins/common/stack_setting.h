// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stack of a device thread that the environment asks for: LIBOMPTARGET_STACK_SIZE, or OMP_STACKSIZE of the device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace omptarget {

/// Returns the bytes that a text stands for, if any: a number of kilobytes, or a number with B, K, M or G.
std::optional<uint64_t> stack_size_of(std::string_view text);

struct StackSetting {
  uint64_t bytes = 0; ///< 0: the environment does not say
  std::string variable;
};
/// Returns the setting for the device of this number. Nonsense is warned about once, and does not count.
StackSetting stack_setting(int32_t device);

} // namespace omptarget
