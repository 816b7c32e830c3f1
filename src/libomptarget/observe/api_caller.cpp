// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/api_caller.h"

#include <utility>

namespace omptarget::observe {

static thread_local constinit const void *caller = nullptr;

void note_caller(const void *code) { caller = code; }

const void *take_caller(const void *code) { return caller ? std::exchange(caller, nullptr) : code; }

} // namespace omptarget::observe
