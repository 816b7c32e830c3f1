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

// A device that came since reaches it, too.
Status LockedRanges::widen(uintptr_t address, Range &range) {
  const size_t reach = pinner_.reach();
  if (range.is_foreign || range.reach == reach)
    return Status::ok();
  OMPTARGET_TRY_ASSIGN(void *const device, pinner_.pin_again(reinterpret_cast<void *>(address), range.size));
  range.device = reinterpret_cast<uintptr_t>(device);
  range.reach = reach;
  ++range.pins;
  return Status::ok();
}

Status LockedRanges::unpin(uintptr_t address, const Range &range) {
  Status status;
  for (int i = 0; i < range.pins && !range.is_foreign; ++i)
    status.keep_first(pinner_.unpin(reinterpret_cast<void *>(address)));
  return status;
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
    OMPTARGET_TRY(widen(range->first, range->second));
    ++range->second.count;
    return reinterpret_cast<void *>(range->second.device + (address - range->first));
  }
  if (const auto next = find_behind(address, size); next != ranges_.end())
    return Status::error(format("cannot pin %zu bytes at %p: %zu bytes at %#lx are pinned and overlap them in part",
                                size, host, next->second.size, static_cast<unsigned long>(next->first)));
  bool is_foreign = false;
  const size_t reach = pinner_.reach();
  OMPTARGET_TRY_ASSIGN(void *device, pinner_.pin(host, size, is_foreign));
  ranges_[address] = {size, reinterpret_cast<uintptr_t>(device), 1, is_foreign, reach};
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
    if (Status status = widen(range->first, range->second); !status) {
      status.consume();
      return {};
    }
    ++range->second.count;
    return {reinterpret_cast<void *>(range->second.device + offset), true};
  }
  if (find_behind(address, size) != ranges_.end())
    return {};
  const PinnedView found = pinner_.find_pinned(host, size);
  if (found.is_counted)
    ranges_[address] = {size, reinterpret_cast<uintptr_t>(found.device), 1, false, pinner_.reach()};
  return found;
}

Status LockedRanges::unlock(void *host) {
  const std::lock_guard lock(mutex_);
  const auto range = find(reinterpret_cast<uintptr_t>(host));
  if (range == ranges_.end())
    return Status::error(format("host memory at %p is not pinned", host));
  if (--range->second.count != 0)
    return Status::ok();
  const auto [begin, gone] = *range;
  ranges_.erase(range);
  return unpin(begin, gone);
}

Status LockedRanges::unlock_all() {
  const std::lock_guard lock(mutex_);
  Status status;
  for (const auto &[address, range] : ranges_)
    status.keep_first(unpin(address, range));
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
