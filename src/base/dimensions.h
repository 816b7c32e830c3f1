// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of teams or threads in up to three dimensions, as a text.
#pragma once

#include <cstdint>
#include <string>

#include "base/format.h"

namespace omptarget {

/// "2", or "[2,4,6]" if there is more than one in another dimension than the first.
inline std::string dimensions_text(uint32_t x, uint32_t y, uint32_t z) {
  return y <= 1 && z <= 1 ? std::to_string(x) : format("[%u,%u,%u]", x, y, z);
}

} // namespace omptarget
