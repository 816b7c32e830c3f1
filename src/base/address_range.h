// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses from one to another.
#pragma once

#include <cstdint>

namespace omptarget {

/// Address range [begin, end).
struct AddressRange {
  uintptr_t begin;
  uintptr_t end;

  bool contains(const void *address) const {
    const auto value = reinterpret_cast<uintptr_t>(address);
    return begin <= value && value < end;
  }
};

} // namespace omptarget
