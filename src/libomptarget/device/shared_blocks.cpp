// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/shared_blocks.h"

#include <atomic>
#include <map>

#include "base/guarded.h"

namespace omptarget {

namespace {

using Blocks = Guarded<std::map<uintptr_t, SharedBlock>>;

Blocks &blocks() {
  static Blocks &all = *new Blocks; // never destroyed: destructors of the program free memory
  return all;
}

/// Most programs have no such block, and free memory of other kinds.
constinit std::atomic<bool> has_blocks{false};

uintptr_t key(const void *address) { return reinterpret_cast<uintptr_t>(address); }

} // namespace

void add_shared_block(const SharedBlock &block) {
  (*blocks().lock())[key(block.begin)] = block;
  // Relaxed: threads that use the block have its address from this one.
  has_blocks.store(true, std::memory_order_relaxed);
}

void remove_shared_block(const void *begin) {
  if (has_blocks.load(std::memory_order_relaxed))
    blocks().lock()->erase(key(begin));
}

std::optional<SharedBlock> find_shared_block(const void *begin, size_t size) {
  if (!has_blocks.load(std::memory_order_relaxed))
    return std::nullopt;
  auto all = blocks().lock();
  auto next = all->upper_bound(key(begin));
  if (next == all->begin())
    return std::nullopt;
  const SharedBlock &block = std::prev(next)->second;
  const size_t offset = key(begin) - key(block.begin);
  if (offset >= block.size || size > block.size - offset)
    return std::nullopt;
  return block;
}

std::mutex &shared_blocks_mutex_for_fork() { return blocks().mutex_for_fork(); }

} // namespace omptarget
