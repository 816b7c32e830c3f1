// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target layer for the tests' interpreter of warps. Each load is a step of a warp: the interpreter gets the
// address and waits for the warp's other lanes. Loads like a GPU's layer in all else.
#pragma once

#include "omptarget/types.h"

/// Defined by the interpreter: one lane's load of size bytes.
extern "C" void omptarget_interpreted_load(const void *address, uint64_t size);

namespace omptarget::device_rtl {

struct InterpretedTarget {
  using Length = uint32_t;
  static constexpr unsigned kWays = 4;
  static Length opaque(Length value) { return value; }
  static uint64_t load(const uint64_t *address) { return load_global(address); }
  static __omp_offloading_fptr_map_ty load_pair(const __omp_offloading_fptr_map_ty *pair) { return load_global(pair); }
  template <typename T> static T load_global(const T *global) {
    omptarget_interpreted_load(global, sizeof(T));
    return *global;
  }
};

using CurrentTarget = InterpretedTarget;

} // namespace omptarget::device_rtl
