// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/caching_allocator.h"

#include <algorithm>
#include <cstring>
#include <ctime>

#include "base/kept_memory.h"
#include "base/log.h"
#include "base/settings.h"

namespace omptarget {

KeptMemorySettings read_kept_memory_settings(uint64_t free) {
  constexpr uint64_t kShare = 8;
  constexpr uint64_t kSecond = 1000000000;
  const auto share = static_cast<int64_t>(std::min<uint64_t>(free / kShare, INT64_MAX));
  return {static_cast<size_t>(largest_kept_memory()),
          static_cast<size_t>(setting_or(SettingId::kMemoryManagerLimit, 0, INT64_MAX, share)),
          static_cast<uint64_t>(setting_in(SettingId::kMemoryManagerIdle, 0, INT32_MAX)) * kSecond};
}

CachingAllocator::CachingAllocator(MemorySource &source, size_t threshold, size_t limit)
    : source_(source), threshold_(std::min(threshold, size_t{1} << 38)), limit_(limit) {}

void CachingAllocator::count_use(AllocatorStatistics &statistics, size_t bytes) {
  statistics.used_bytes += bytes;
  statistics.most_used_bytes = std::max(statistics.most_used_bytes, statistics.used_bytes);
}

void *CachingAllocator::try_allocate(size_t size) {
  if (!may_keep(size))
    return nullptr;
  auto state = state_.lock();
  std::vector<void *> &kept = state->kept[class_index(size)];
  if (kept.empty())
    return nullptr;
  void *memory = kept.back();
  kept.pop_back();
  size_t &unneeded = state->unneeded[class_index(size)];
  unneeded = std::min(unneeded, kept.size());
  state->blocks[memory].is_kept = false;
  ++state->statistics.allocations;
  ++state->statistics.reused;
  state->statistics.kept_bytes -= class_size(size);
  count_use(state->statistics, class_size(size));
  return memory;
}

Result<void *> CachingAllocator::allocate(size_t size) {
  if (void *memory = try_allocate(size))
    return memory;
  ++state_.lock()->statistics.allocations;
  size_t bytes = may_keep(size) ? class_size(size) : size;
  Result<void *> memory = source_.allocate(bytes);
  // Once more after giving back what is kept, and without rounding up to the class.
  if (!memory && (bytes != size || state_.lock()->statistics.kept_bytes != 0)) {
    OMPTARGET_TRY(trim());
    bytes = size;
    memory = source_.allocate(bytes);
  }
  if (!memory)
    return memory;
  auto state = state_.lock();
  state->blocks[*memory] = {bytes, false};
  ++state->statistics.source_allocations;
  count_use(state->statistics, bytes);
  return memory;
}

bool CachingAllocator::try_release(void *memory) {
  auto state = state_.lock();
  const auto found = state->blocks.find(memory);
  if (found == state->blocks.end() || found->second.is_kept)
    return false;
  const size_t bytes = found->second.size;
  AllocatorStatistics &statistics = state->statistics;
  if (is_check_due(*state))
    return false;
  if (threshold_ == 0 || bytes > class_size(threshold_) || class_size(bytes) != bytes ||
      statistics.kept_bytes + bytes > limit_)
    return false;
  found->second.is_kept = true;
  statistics.used_bytes -= bytes;
  statistics.kept_bytes += bytes;
  state->kept[class_index(bytes)].push_back(memory);
  return true;
}

uint64_t CachingAllocator::coarse_now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
}

void CachingAllocator::give_back_after(uint64_t idle_ns, uint64_t (*now)()) {
  idle_ns_ = idle_ns;
  now_ = now;
  state_.lock()->next_check = now() + idle_ns;
}

// The fewest that were kept of a class at any time since the last check are what nobody needed.
std::vector<void *> CachingAllocator::take_unneeded() {
  std::vector<void *> all;
  auto state = state_.lock();
  if (!is_check_due(*state))
    return all;
  state->next_check = now_() + idle_ns_;
  for (size_t i = 0; i < kSizeClasses; ++i) {
    std::vector<void *> &kept = state->kept[i];
    const auto end = kept.begin() + static_cast<ptrdiff_t>(std::min(state->unneeded[i], kept.size()));
    for (auto memory = kept.begin(); memory != end; ++memory) {
      state->statistics.kept_bytes -= state->blocks[*memory].size;
      state->blocks.erase(*memory);
    }
    all.insert(all.end(), kept.begin(), end);
    kept.erase(kept.begin(), end);
    state->unneeded[i] = kept.size();
  }
  return all;
}

Status CachingAllocator::release_to_source(const std::vector<void *> &memory) {
  Status status;
  for (void *one : memory)
    status.keep_first(source_.release(one));
  return status;
}

Status CachingAllocator::release(void *memory) {
  OMPTARGET_TRY(give_back_unneeded());
  if (try_release(memory))
    return Status::ok();
  {
    auto state = state_.lock();
    const auto found = state->blocks.find(memory);
    if (found == state->blocks.end() || found->second.is_kept)
      return Status::error(format("%p was not allocated here or is free already", memory));
    state->statistics.used_bytes -= found->second.size;
    state->blocks.erase(found);
  }
  return source_.release(memory);
}

bool CachingAllocator::owns(void *memory) {
  auto state = state_.lock();
  const auto found = state->blocks.find(memory);
  return found != state->blocks.end() && !found->second.is_kept;
}

std::vector<void *> CachingAllocator::take_all_kept() {
  std::vector<void *> all;
  auto state = state_.lock();
  for (std::vector<void *> &kept : state->kept) {
    for (void *memory : kept)
      state->blocks.erase(memory);
    all.insert(all.end(), kept.begin(), kept.end());
    kept.clear();
  }
  state->unneeded.fill(0);
  state->statistics.kept_bytes = 0;
  return all;
}

Status CachingAllocator::trim() { return release_to_source(take_all_kept()); }

Status CachingAllocator::release_all() {
  Status status = trim();
  std::vector<void *> rest;
  {
    auto state = state_.lock();
    for (const auto &[memory, block] : state->blocks)
      rest.push_back(memory);
    state->blocks.clear();
    state->statistics.used_bytes = 0;
  }
  for (void *memory : rest)
    status.keep_first(source_.release(memory));
  return status;
}

AllocatorStatistics CachingAllocator::statistics() { return state_.lock()->statistics; }

bool copy_statistics(const AllocatorStatistics &from, __tgt_memory_statistics *to) {
  if (!to || to->size < sizeof to->size)
    return false;
  const __tgt_memory_statistics mine = {to->size,
                                        0,
                                        from.allocations,
                                        from.reused,
                                        from.source_allocations,
                                        from.kept_bytes,
                                        from.used_bytes,
                                        from.most_used_bytes};
  std::memcpy(to, &mine, std::min<size_t>(to->size, sizeof mine));
  return true;
}

void trace_statistics(int32_t device_number, const AllocatorStatistics &statistics) {
  OMPTARGET_TRACE_DEVICE(
      Topic::kDevice, device_number,
      "memory: %llu allocations, %llu of kept memory, %llu from the driver; at most %llu bytes in use, "
      "%llu bytes kept at the end",
      static_cast<unsigned long long>(statistics.allocations), static_cast<unsigned long long>(statistics.reused),
      static_cast<unsigned long long>(statistics.source_allocations),
      static_cast<unsigned long long>(statistics.most_used_bytes),
      static_cast<unsigned long long>(statistics.kept_bytes));
}

} // namespace omptarget
