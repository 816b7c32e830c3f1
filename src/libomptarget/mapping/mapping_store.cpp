// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/mapping_store.h"

#include "base/format.h"

namespace omptarget {

void MappingStore::fill(List &list) {
  const std::lock_guard lock(mutex_);
  if (!stored_.empty()) {
    list = stored_.back();
    stored_.pop_back();
    return;
  }
  while (list.count < kBatch)
    link(*mappings_.make(), list);
}

/// The half that came first: the rest is nearer.
void MappingStore::store_half(List &list) {
  Mapping *last = list.first;
  const uint32_t kept = list.count / 2;
  for (uint32_t i = 1; i < kept; ++i)
    last = next_of(*last);
  const List rest{next_of(*last), list.count - kept};
  last->origin_.store(0, std::memory_order_release);
  list.count = kept;
  const std::lock_guard lock(mutex_);
  stored_.push_back(rest);
}

std::string MappingStore::fault(std::vector<List> lists) const {
  const std::lock_guard lock(mutex_);
  lists.insert(lists.end(), stored_.begin(), stored_.end());
  for (const List &list : lists) {
    uint32_t count = 0;
    for (const Mapping *mapping = list.first; mapping; mapping = next_of(*mapping), ++count)
      if ((mapping->generation() != 0 && !(mapping->generation() & 1)) || mapping->extras())
        return format("the mapping at host address 0x%zx is free and alive", static_cast<size_t>(mapping->begin()));
    if (count != list.count)
      return format("%u free mappings are linked, %u counted", count, list.count);
  }
  return {};
}

} // namespace omptarget
