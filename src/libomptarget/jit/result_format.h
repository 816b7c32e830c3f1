// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The standard output of omptarget-jit, which the library reads: a head, then the compiled image. Both are of one
// installation.
#pragma once

#include <cstdint>
#include <cstring>

namespace omptarget::jit {

struct ResultHead {
  char magic[8];
  uint64_t bytes; ///< of the image behind it
};

/// No image is larger: omptarget-jit may write no larger file.
inline constexpr uint64_t kMostBytes = uint64_t{2} << 30;

inline constexpr char kResultMagic[8] = {'O', 'M', 'P', 'T', 'J', 'I', 'T', '1'};

inline ResultHead result_head(uint64_t bytes) {
  ResultHead head{};
  std::memcpy(head.magic, kResultMagic, sizeof kResultMagic);
  head.bytes = bytes;
  return head;
}

} // namespace omptarget::jit
