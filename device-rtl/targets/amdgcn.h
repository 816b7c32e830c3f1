// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target layer for AMD GPUs: the table is constant memory, so that a wave whose lanes ask for the same function can
// read it with scalar loads.
#pragma once

#include "omptarget/types.h"

namespace omptarget::device_rtl {

struct AmdgcnTarget {
  using Length = uint32_t;             ///< a table of 2^32 functions would not fit
  static constexpr unsigned kWays = 4; ///< half as many dependent loads as with 2
  template <typename T> using Constant = const T __attribute__((address_space(4)));
  static Length opaque(Length value) { return value; }
  static uint64_t load(const uint64_t *address) {
    return *reinterpret_cast<Constant<uint64_t> *>(reinterpret_cast<uint64_t>(address));
  }
  static __omp_offloading_fptr_map_ty load_pair(const __omp_offloading_fptr_map_ty *pair) {
    return {load(&pair->host_ptr), load(&pair->tgt_ptr)};
  }
  template <typename T> static T load_global(const T *global) { return *global; }
  /// Ends the kernel; the host sees what was stored.
  [[noreturn]] static void stop() {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
    __builtin_trap();
  }
};

using CurrentTarget = AmdgcnTarget;

} // namespace omptarget::device_rtl
