// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of memory that the program has allocated by routines, and whose they are. The host and devices reach some
// alike: those of the kinds OMPTARGET_ALLOC_HOST and OMPTARGET_ALLOC_SHARED. Knows addresses only. Any thread; a fork
// waits for the lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace omptarget {

/// The owner of memory of the host, whatever number its device has.
inline constexpr int32_t kHostOwner = -1;

/// owner: the device that has allocated the block that begins there. Devices of several processes may have the same
/// addresses.
void add_owner(const void *begin, int32_t owner);
/// Forgets the block if it is the owner's. Returns another owner if it is not, and forgets nothing. A block that nobody
/// has added has none.
std::optional<int32_t> remove_owner(const void *begin, int32_t owner);

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
