// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The warning to users about data whose reference count has become infinite.
#pragma once

#include <cstdint>

#include "base/address.h"

namespace omptarget {

/// Prints a warning. name: what the compiler calls the data, or null. Called once in the life of a mapping, by the
/// construct that takes the last reference that can be counted.
[[gnu::cold]] void warn_of_infinite_count(const char *name, HostPtr begin, int64_t size);

} // namespace omptarget
