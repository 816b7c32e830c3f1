// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/locked_ranges.h"

#include <iterator>

namespace omptarget {

LockedRanges::Ranges::iterator LockedRanges::find(uintptr_t address) {
  auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin())
    return ranges_.end();
  const auto range = std::prev(next);
  return address - range->first < range->second.size ? range : ranges_.end();
}

LockedRanges::Ranges::iterator LockedRanges::find_behind(uintptr_t address, size_t size) {
  const auto next = ranges_.upper_bound(address);
  return next != ranges_.end() && next->first - address < size ? next : ranges_.end();
}

Result<void *> LockedRanges::lock(void *host, size_t size) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(host);
  if (size == 0 || address + size < address)
    return Status::error(format("cannot pin %zu bytes at %p", size, host));
  const std::lock_guard lock(mutex_);
  if (const auto range = find(address); range != ranges_.end()) {
    if (size > range->second.size - (address - range->first))
      return Status::error(format("cannot pin %zu bytes at %p: %zu bytes at %#lx are pinned and overlap them in part",
                                  size, host, range->second.size, static_cast<unsigned long>(range->first)));
    ++range->second.count;
    return reinterpret_cast<void *>(range->second.device + (address - range->first));
  }
  if (const auto next = find_behind(address, size); next != ranges_.end())
    return Status::error(format("cannot pin %zu bytes at %p: %zu bytes at %#lx are pinned and overlap them in part",
                                size, host, next->second.size, static_cast<unsigned long>(next->first)));
  bool is_foreign = false;
  OMPTARGET_TRY_ASSIGN(void *device, pinner_.pin(host, size, is_foreign));
  ranges_[address] = {size, reinterpret_cast<uintptr_t>(device), 1, is_foreign};
  return device;
}

PinnedView LockedRanges::lock_if_pinned(void *host, size_t size) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(host);
  if (size == 0 || address + size < address)
    return {};
  const std::lock_guard lock(mutex_);
  if (const auto range = find(address); range != ranges_.end()) {
    const uintptr_t offset = address - range->first;
    if (size > range->second.size - offset)
      return {};
    ++range->second.count;
    return {reinterpret_cast<void *>(range->second.device + offset), true};
  }
  if (find_behind(address, size) != ranges_.end())
    return {};
  const PinnedView found = pinner_.find_pinned(host, size);
  if (found.is_counted)
    ranges_[address] = {size, reinterpret_cast<uintptr_t>(found.device), 1, false};
  return found;
}

Status LockedRanges::unlock(void *host) {
  const std::lock_guard lock(mutex_);
  const auto range = find(reinterpret_cast<uintptr_t>(host));
  if (range == ranges_.end())
    return Status::error(format("host memory at %p is not pinned", host));
  if (--range->second.count != 0)
    return Status::ok();
  void *begin = reinterpret_cast<void *>(range->first);
  const bool is_foreign = range->second.is_foreign;
  ranges_.erase(range);
  return is_foreign ? Status::ok() : pinner_.unpin(begin);
}

Status LockedRanges::unlock_all() {
  const std::lock_guard lock(mutex_);
  Status status;
  for (const auto &[address, range] : ranges_)
    if (!range.is_foreign)
      if (Status one = pinner_.unpin(reinterpret_cast<void *>(address)); !one && status)
        status = std::move(one);
  ranges_.clear();
  return status;
}

bool LockedRanges::holds(const void *host, size_t size) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(host);
  const std::lock_guard lock(mutex_);
  const auto range = find(address);
  return range != ranges_.end() && size <= range->second.size - (address - range->first);
}

} // namespace omptarget
