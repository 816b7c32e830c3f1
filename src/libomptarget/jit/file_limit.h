// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limit of files that the process may write, also of those in memory.
#pragma once

#include <cstdint>
#include <sys/resource.h>

namespace omptarget::jit {

/// Returns whether a file of that size may be written: beyond the limit a signal would end the program.
inline bool may_write(uint64_t size) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && (limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur);
}

} // namespace omptarget::jit
