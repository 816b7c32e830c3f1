// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variadic arguments in memory, as compilers lay them out.
#pragma once

#include "basics.h"

namespace omptarget::device_rtl::gpu {

/// Each argument begins at a multiple of its size, but of no more than `most` bytes.
class Arguments {
public:
  Arguments(const void *begin, uint32_t most) : at_(reinterpret_cast<uint64_t>(begin)), most_(most) {}
  uint32_t next32() { return *static_cast<const uint32_t *>(next(4)); }
  uint64_t next64() {
    auto *const halves = static_cast<const uint32_t *>(next(8));
    return halves[0] | uint64_t{halves[1]} << 32;
  }

private:
  const void *next(uint32_t size) {
    at_ = round_up(at_, smaller(size, most_));
    const auto *const result = reinterpret_cast<const void *>(at_);
    at_ += size;
    return result;
  }
  uint64_t at_;
  uint32_t most_;
};

} // namespace omptarget::device_rtl::gpu
