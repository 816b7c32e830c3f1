// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many threads the process can still have.
#pragma once

#include <cstddef>
#include <cstdint>

namespace omptarget::host {

/// Returns how many of the wanted threads with stacks of that size (0: the usual one) can be made besides the calling
/// one, which is counted. Makes as many and a few more, and ends them; if that fails, leaves half of them to others.
/// Another thread may take their place at once.
int32_t makeable_threads(int32_t wanted, size_t stack_size);

} // namespace omptarget::host
