// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/environment.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace omptarget::gpu {

bool EnvironmentNeed::serves(const EnvironmentNeed &other) const {
  if (is_trailing != other.is_trailing || reduction < other.reduction)
    return false;
  if (!is_trailing)
    return true;
  // Its fields tell kernels what they have: a larger buffer does no harm, anything else would.
  return (reduction == 0) == (other.reduction == 0) && group_memory == other.group_memory &&
         fallback == other.fallback && global_memory >= other.global_memory;
}

EnvironmentBlock::EnvironmentBlock(uint64_t address, const EnvironmentNeed &made_for)
    : memory(address), need(made_for) {
  const uint64_t buffer = memory + kBufferOffset;
  if (need.is_trailing) {
    TrailingEnvironment environment{};
    environment.reduction_buffer = need.reduction != 0 ? buffer : 0;
    environment.group_memory = need.global_memory != 0 ? buffer + need.group_memory_offset() : 0;
    environment.group_memory_size = need.group_memory;
    environment.fallback = need.fallback;
    initial_size = sizeof(environment);
    std::memcpy(initial.data(), &environment, initial_size);
  } else {
    const LaunchEnvironment environment{0, 0, buffer};
    initial_size = sizeof(environment);
    std::memcpy(initial.data(), &environment, initial_size);
  }
}

std::unique_ptr<EnvironmentBlock> take_serving(EnvironmentBlocks &blocks, const EnvironmentNeed &need) {
  const auto found =
      std::find_if(blocks.begin(), blocks.end(), [&](const auto &block) { return block->need.serves(need); });
  if (found == blocks.end())
    return nullptr;
  std::unique_ptr<EnvironmentBlock> block = std::move(*found);
  blocks.erase(found);
  return block;
}

} // namespace omptarget::gpu
