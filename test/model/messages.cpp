// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for what the sources under test print: no scenario counts that far.

#include "mapping/infinite_count.h"

namespace omptarget {

void warn_of_infinite_count(const char *, HostPtr, int64_t) {}

} // namespace omptarget
