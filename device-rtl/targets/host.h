// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target layer for device images on a CPU. Loads are relaxed atomic ones: plain instructions, without a data race
// where a table is replaced meanwhile.
#pragma once

#include "omptarget/types.h"

namespace omptarget::device_rtl {

struct HostTarget {
  using Length = uint64_t;
  static constexpr unsigned kWays = 4; ///< three loads at a time hide each other's cache misses
  /// Hides from the compiler that this is a condition: it would branch on it, and mispredict every other time.
  static Length opaque(Length value) {
    __asm__("" : "+r"(value));
    return value;
  }
  static uint64_t load(const uint64_t *address) { return __atomic_load_n(address, __ATOMIC_RELAXED); }
  static __omp_offloading_fptr_map_ty load_pair(const __omp_offloading_fptr_map_ty *pair) {
    return {load(&pair->host_ptr), load(&pair->tgt_ptr)};
  }
  /// Ordered: the count of a table is read before the pointer to it.
  template <typename T> static T load_global(const T *global) { return __atomic_load_n(global, __ATOMIC_ACQUIRE); }
};

} // namespace omptarget::device_rtl
