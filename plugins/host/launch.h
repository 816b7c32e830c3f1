// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls a kernel, a function with pointer-sized arguments.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "omptarget/types.h"

namespace omptarget::host {

/// More arguments than that are taken for damage.
inline constexpr uint32_t kMaximumArguments = 1u << 20;

struct KernelArguments {
  void **values;
  const ptrdiff_t *offsets; ///< added to the values
  uint32_t count;
  bool has_implicit; ///< the kernel has a leading parameter that is not counted
};

/// Calls the kernel in the calling thread. Any thread.
Status call_kernel(void *kernel, const KernelArguments &arguments);

} // namespace omptarget::host
