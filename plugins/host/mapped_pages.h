// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages of the system's.
#pragma once

#include <cstddef>

namespace omptarget::host {

/// Returns memory of that size and alignment, a power of two; null if there is none. munmap gives it back. Any thread.
void *map_aligned(size_t bytes, size_t alignment);

} // namespace omptarget::host
