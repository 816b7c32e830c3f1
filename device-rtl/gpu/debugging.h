// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages and checks of the RTL, if both the compiler's option (-fopenmp-target-debug=) and
// LIBOMPTARGET_DEVICE_RTL_DEBUG ask for them. The option is a constant of the image: without it the compiler removes
// all of this.
#pragma once

#include "configuration.h"
#include "services.h"

namespace omptarget::device_rtl::gpu {

/// The values of both.
inline constexpr uint32_t kDebugAssertions = 1, kDebugTracing = 2, kDebugProblems = 4, kDebugAllocations = 8;
INLINE bool debugs(uint32_t kind) {
  return (__omp_rtl_debug_kind & kind) != 0 && (__omp_rtl_device_environment.debug_kind & kind) != 0;
}

/// At the begin of a function that compiled code calls.
INLINE void trace(const char *function) {
  if (debugs(kDebugTracing)) [[unlikely]]
    tell(function);
}
/// Checks a precondition of the caller and stops the kernel if it does not hold.
template <typename Condition> INLINE void demand(Condition holds, const char *otherwise) {
  if (debugs(kDebugAssertions) && !holds()) [[unlikely]]
    fail(otherwise);
}

} // namespace omptarget::device_rtl::gpu

#define TRACE trace(__func__)
