// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls a kernel, a function with pointer-sized arguments.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "host/kernel_runs.h"
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

/// Kernels with up to that many parameters are called directly.
inline constexpr uint32_t kDirect = 32;

namespace launch_internal {
/// The target of the implicit parameter matters to GPUs only. LLVM passes this value here, too.
inline void *implicit_argument() { return reinterpret_cast<void *>(~uintptr_t{0}); }
/// Gathers the arguments and calls the kernel.
Status call_with_arguments(void *kernel, const KernelArguments &arguments);
} // namespace launch_internal

/// Calls a function with pointer-sized arguments in the calling thread. Any thread.
Status call_with_values(void *function, void **values, uint32_t count);

/// Calls the kernel in the calling thread. Any thread.
inline Status call_kernel(void *kernel, const KernelArguments &arguments) {
  const KernelRuns::Run run;
  if (arguments.count != 0)
    return launch_internal::call_with_arguments(kernel, arguments);
  if (arguments.has_implicit)
    reinterpret_cast<void (*)(void *)>(kernel)(launch_internal::implicit_argument());
  else
    reinterpret_cast<void (*)()>(kernel)();
  return Status::ok();
}

} // namespace omptarget::host
