// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launch environments, which the implicit parameter of a kernel points to: what a launch needs one for, and the device
// memory of one with its buffers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/device_layouts.h"

namespace omptarget::gpu {

struct EnvironmentNeed {
  bool is_trailing = false;   ///< clang 23's layout
  uint64_t reduction = 0;     ///< bytes of the buffer for a reduction over teams
  uint64_t global_memory = 0; ///< bytes of global memory instead of shared memory, for all teams
  uint32_t group_memory = 0;  ///< bytes of dynamic group-private memory that each team has
  GroupMemoryFallback fallback = GroupMemoryFallback::kNone;

  /// Otherwise the implicit parameter is all ones.
  bool is_needed() const { return reduction != 0 || group_memory != 0 || fallback != GroupMemoryFallback::kNone; }
  /// Bytes of all buffers.
  uint64_t size() const { return group_memory_offset() + global_memory; }
  uint64_t group_memory_offset() const { return (reduction + kAlignment - 1) / kAlignment * kAlignment; }
  /// Returns whether an environment that was made for this one serves for the other, too.
  bool serves(const EnvironmentNeed &other) const;

private:
  static constexpr uint64_t kAlignment = 128;
};

/// Device memory for a launch that needs an environment: that, then its buffers.
struct EnvironmentBlock {
  static constexpr uint64_t kBufferOffset = 128;

  EnvironmentBlock(uint64_t address, const EnvironmentNeed &made_for);

  const uint64_t memory;
  const EnvironmentNeed need;
  bool is_written = false; ///< on the device; kernels leave it as they found it
  /// The initial state of a launch. Never changes, so that it may be copied at any time.
  alignas(8) std::array<std::byte, sizeof(TrailingEnvironment)> initial{};
  size_t initial_size;
};
using EnvironmentBlocks = std::vector<std::unique_ptr<EnvironmentBlock>>;

/// Takes a block that serves out of some; null if there is none.
std::unique_ptr<EnvironmentBlock> take_serving(EnvironmentBlocks &blocks, const EnvironmentNeed &need);

} // namespace omptarget::gpu
