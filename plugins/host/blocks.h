// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory of a device that is no NUMA domain: the process's own heap.
#pragma once

#include <cstddef>
#include <cstdint>

namespace omptarget::host {

/// Blocks from this size on lie in huge pages where the system gives them on request: the first copy into one waits
/// for a five hundredth of the page faults. Smaller ones the heap may put beside others' memory, which is not ours to
/// ask for.
inline constexpr int64_t kHugeBlock = int64_t{32} << 20;

/// At least size bytes, or null; std::free gives them back. Small blocks come aligned as malloc does it, large ones
/// to the line of a cache: it costs little there, and vector code gains. Any thread.
void *allocate_block(int64_t size);

} // namespace omptarget::host
