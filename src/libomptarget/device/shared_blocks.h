// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's blocks of memory that the host and devices reach alike: those of the kinds OMPTARGET_ALLOC_HOST and
// OMPTARGET_ALLOC_SHARED. Knows addresses only. Any thread; a fork waits for the lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace omptarget {

struct SharedBlock {
  void *begin;
  size_t size;    ///< bytes
  int32_t device; ///< whose plugin allocated it; not a device's number: the host did
};

void add_shared_block(const SharedBlock &block);
/// Forgets the block that begins there, if there is one.
void remove_shared_block(const void *begin);
/// Returns the block that holds these bytes.
std::optional<SharedBlock> find_shared_block(const void *begin, size_t size);

/// For fork handlers only.
std::mutex &shared_blocks_mutex_for_fork();

} // namespace omptarget
