// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which code of the program calls an API routine, if a host runtime passes the call on (include/omptarget/host_code.h).
#pragma once

#include <utility>

namespace omptarget::observe {

namespace internal {
[[gnu::tls_model("initial-exec")]] extern constinit thread_local const void *caller;
} // namespace internal

/// The calling thread is about to call an API routine for this code of the program.
void note_caller(const void *code);
/// Returns what note_caller has noted since the last call, or else that code.
inline const void *take_caller(const void *code) {
  return internal::caller ? std::exchange(internal::caller, nullptr) : code;
}

} // namespace omptarget::observe
