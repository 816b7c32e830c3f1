// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose stack has no size that a compiler can know: recursion, regions in regions, calls by pointers. The
// driver provides for all others on its own. Reads images only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/elf_image.h"

namespace omptarget::cuda {

/// Calls within calls that such a kernel has room for, each with the largest frame of the functions that it may call.
inline constexpr uint64_t kNestedCalls = 8;
/// Bytes of stack that they have at least: frames are often small, and recursion deeper. PTX tells no frames.
inline constexpr uint64_t kLeastUnknownStack = 4096;

/// Bytes of stack that threads of such kernels may need, by kernel. Immutable; any bytes may be read.
class StackNeeds {
public:
  /// Computes the needs from the frames and calls that ptxas and nvlink note.
  static StackNeeds of_cubin(const ElfImage &elf);
  /// Computes the needs from the calls in the text.
  static StackNeeds of_ptx(std::string_view text);

  /// 0: its size is known to the driver.
  uint64_t of(std::string_view kernel) const;

private:
  std::unordered_map<std::string, uint64_t> needs_;
};

} // namespace omptarget::cuda
