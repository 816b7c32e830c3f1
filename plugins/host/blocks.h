// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device memory of a device that is no NUMA domain. Small blocks are those of the process's own heap. Large ones are
// kept when they are freed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host/kept_blocks.h"

namespace omptarget::host {

/// Blocks from this size on are kept when they are freed. The heap keeps smaller ones well enough.
inline constexpr int64_t kKeptBlock = int64_t{32} << 10;

/// Blocks from this size on lie in huge pages where the system gives them on request: the first copy into one waits
/// for a five hundredth of the page faults.
inline constexpr int64_t kHugeBlock = int64_t{32} << 20;

/// Makes what keeps large blocks. The first of them does it otherwise, which must not be while the process forks.
void prepare_blocks();

/// At least size bytes, or null. Blocks under 32 bytes come aligned as malloc does it, all others to 64, as compilers
/// align what they use by vectors. Any thread.
void *allocate_block(int64_t size);
/// Gives the block back. Memory of malloc goes back to it. Any thread.
void release_block(void *block);

/// The large blocks; null if none was asked for yet.
KeptBlocks *kept_blocks();

} // namespace omptarget::host
