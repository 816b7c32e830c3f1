// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables of the environment by which drivers hide devices: numbers, or the begin of names that tell devices
// apart.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace emulator {

/// Leaves the devices that the variable names, in its order, up to the first entry that means none; all if it is unset.
/// name_of(device): its name, which no number begins.
template <typename T, typename NameOf>
void keep_visible(std::vector<T> &devices, const char *variable, NameOf name_of) {
  const char *text = std::getenv(variable);
  if (!text)
    return;
  const std::string list = text;
  std::vector<T> visible;
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const std::string entry = list.substr(begin, end - begin);
    size_t found = 0;
    if (entry.find_first_not_of("0123456789") == std::string::npos)
      found = entry.empty() ? devices.size() : std::strtoul(entry.c_str(), nullptr, 10);
    else
      while (found < devices.size() && !name_of(devices[found]).starts_with(entry))
        ++found;
    if (found >= devices.size())
      break;
    visible.push_back(devices[found]);
    begin = end + 1;
  }
  devices = std::move(visible);
}

} // namespace emulator
