// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The boundary of a plugin for GPUs: failures become return values and their text is kept for __tgt_rtl_last_error;
// information asked for by LIBOMPTARGET_INFO is printed. Any thread.
#pragma once

#include <cstdint>
#include <utility>

#include "base/status.h"
#include "common/info_bits.h"
#include "common/last_error.h"

namespace omptarget {

inline constexpr int32_t kSuccess = 0;
inline constexpr int32_t kFailure = -1;

/// Keeps the text of a failure for the calling thread and traces it; prints it if the host library is one that never
/// asks. Returns what the plugin function returns.
int32_t finish_failed(Status status, int32_t device);
/// The same for what may have succeeded.
inline int32_t finish(Status status, int32_t device = -1) {
  return status ? kSuccess : finish_failed(std::move(status), device);
}

/// Keeps the text of a status that is no failure of a call, such as why there are no devices.
void keep_reason(const Status &status);

/// The host library knows __tgt_rtl_last_error: nothing is printed by the plugin.
void host_library_asks_for_errors();

/// Prints one line about a device (its number in the program) to stderr.
[[gnu::format(printf, 2, 3)]] void print_info(int32_t device, const char *pattern, ...);

} // namespace omptarget
