// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place where failures end: printed, and, since a construct that cannot be carried out must not go on silently,
// fatal (docs/use/errors.md).
#pragma once

#include <atomic>

#include "base/status.h"
#include "device/call.h"

namespace omptarget {

/// Prints what failed and aborts the process (SIGABRT).
[[noreturn]] void end_with(const Failure &failure, const Call &call);

/// Returns if the construct succeeded; otherwise it is the end.
inline void finish(const Status &status, const Call &call) {
  if (!status.is_ok())
    end_with(status.failure(), call);
}

/// The value of a Result that succeeded; otherwise as finish.
template <typename T> T finish(Result<T> result, const Call &call) {
  if (!result.is_ok())
    finish(result.take_status(), call);
  return std::move(*result);
}

/// For API functions that report failure by their result: prints what failed. Only an invalid device number under
/// OMP_TARGET_OFFLOAD=MANDATORY is fatal. Returns whether it succeeded.
bool succeeded(Status status, const Call &call);

/// For what fails after its API function has returned, or cannot report it: as succeeded, but any failure is fatal
/// under OMP_TARGET_OFFLOAD=MANDATORY.
void finish_unreported(Status status, const Call &call);

/// Answers a call of a function that this library exports and does not support: prints its name, the first time only.
/// Each caller owns its flag, a static without a destructor: libomp calls after the program's destructors.
void report_unsupported(const char *function, std::atomic_flag &is_reported);

} // namespace omptarget
