// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of host memory that cannot be read, and copies back to such that cannot be written. Compilers map constant
// tables like other variables, to the device and back, and the tables lie in read-only pages. Bytes that the device has
// not changed need no copy.
#pragma once

#include "base/page_access.h"
#include "device/device.h"

namespace omptarget {

/// Copies from the device what differs there, piece by piece. Fails at bytes that differ and cannot be written. Nothing
/// that writes source is under way.
Status retrieve_changes(const Device &device, void *host, const void *source, int64_t size);

namespace internal {
[[gnu::cold]] Status ask_for_readable(const void *host, int64_t size, bool is_copied_back);
} // namespace internal

/// Fails if the first or the last page of data that are about to be copied to a device cannot be read. Data that are
/// copied back are asked for as exiting asks, so that it finds the answer.
inline Status check_readable(const void *host, int64_t size, bool is_copied_back) {
  if (size <= 0 || is_known_readable(host, static_cast<size_t>(size))) [[likely]]
    return Status::ok();
  return internal::ask_for_readable(host, size, is_copied_back);
}

} // namespace omptarget
