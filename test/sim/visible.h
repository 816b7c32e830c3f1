// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables of the environment by which drivers hide devices, as far as they name devices by their numbers.
#pragma once

#include <cstdlib>
#include <utility>
#include <vector>

namespace sim {

/// Leaves the devices that the variable names, in its order, up to the first name that means none; all if it is unset.
template <typename T> void keep_visible(std::vector<T> &devices, const char *variable) {
  const char *text = std::getenv(variable);
  if (!text)
    return;
  std::vector<T> visible;
  while (*text) {
    char *end = nullptr;
    const long number = std::strtol(text, &end, 10);
    if (end == text || number < 0 || static_cast<size_t>(number) >= devices.size())
      break;
    visible.push_back(devices[static_cast<size_t>(number)]);
    text = *end == ',' ? end + 1 : end;
  }
  devices = std::move(visible);
}

} // namespace sim
