// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeds that are files of the build.
#pragma once

#include <fstream>
#include <iterator>

#include "target.h"

namespace omptarget::fuzz {

inline std::vector<std::string> files(int count, char **arguments) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) {
    std::ifstream file(arguments[i], std::ios::binary);
    all.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return all;
}

} // namespace omptarget::fuzz
