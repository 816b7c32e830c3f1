// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target layer for NVIDIA GPUs: the table is read through the read-only cache.
#pragma once

#include "omptarget/types.h"

namespace omptarget::device_rtl {

struct NvptxTarget {
  using Length = uint32_t;             ///< a table of 2^32 functions would not fit
  static constexpr unsigned kWays = 4; ///< half as many dependent loads as with 2
  static Length opaque(Length value) { return value; }
  static uint64_t load(const uint64_t *address) {
    return __nvvm_ldg_ull(reinterpret_cast<const unsigned long long *>(address));
  }
  static __omp_offloading_fptr_map_ty load_pair(const __omp_offloading_fptr_map_ty *pair) {
    typedef unsigned long long Pair __attribute__((ext_vector_type(2)));
    const Pair both = __nvvm_ldg_ull2(reinterpret_cast<const Pair *>(pair));
    return {both.x, both.y};
  }
  template <typename T> static T load_global(const T *global) { return *global; }
  /// Ends the kernel; the host sees what was stored.
  [[noreturn]] static void stop() {
    __nvvm_membar_sys();
    __builtin_trap();
  }
};

using CurrentTarget = NvptxTarget;

} // namespace omptarget::device_rtl
