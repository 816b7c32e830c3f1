// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/shared_blocks.h"

#include <atomic>
#include <climits>
#include <map>
#include <set>
#include <utility>

#include "base/guarded.h"

namespace omptarget {

namespace {

struct Blocks {
  std::set<std::pair<uintptr_t, int32_t>> owned; ///< each address with its owner
  std::map<uintptr_t, SharedBlock> shared;
};

Guarded<Blocks> &blocks() {
  static auto &all = *new Guarded<Blocks>; // never destroyed: destructors of the program free memory
  return all;
}

/// Most programs have no such block, and free memory of other kinds.
constinit std::atomic<bool> has_shared{false};

uintptr_t key(const void *address) { return reinterpret_cast<uintptr_t>(address); }

} // namespace

void add_owner(const void *begin, int32_t owner) { blocks().lock()->owned.emplace(key(begin), owner); }

std::optional<int32_t> remove_owner(const void *begin, int32_t owner) {
  auto all = blocks().lock();
  if (all->owned.erase({key(begin), owner}) != 0)
    return std::nullopt;
  const auto other = all->owned.lower_bound({key(begin), INT_MIN});
  if (other == all->owned.end() || other->first != key(begin))
    return std::nullopt;
  return other->second;
}

void add_shared_block(const SharedBlock &block) {
  blocks().lock()->shared[key(block.begin)] = block;
  // Relaxed: threads that use the block have its address from this one.
  has_shared.store(true, std::memory_order_relaxed);
}

void remove_shared_block(const void *begin) {
  if (has_shared.load(std::memory_order_relaxed))
    blocks().lock()->shared.erase(key(begin));
}

std::optional<SharedBlock> find_shared_block(const void *begin, size_t size) {
  if (!has_shared.load(std::memory_order_relaxed))
    return std::nullopt;
  auto all = blocks().lock();
  auto next = all->shared.upper_bound(key(begin));
  if (next == all->shared.begin())
    return std::nullopt;
  const SharedBlock &block = std::prev(next)->second;
  const size_t offset = key(begin) - key(block.begin);
  if (offset >= block.size || size > block.size - offset)
    return std::nullopt;
  return block;
}

std::mutex &shared_blocks_mutex_for_fork() { return blocks().mutex_for_fork(); }

} // namespace omptarget
