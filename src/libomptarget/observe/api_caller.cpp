// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/api_caller.h"

namespace omptarget::observe {

[[gnu::tls_model("initial-exec")]] constinit thread_local const void *internal::caller = nullptr;

void note_caller(const void *code) { internal::caller = code; }

} // namespace omptarget::observe
