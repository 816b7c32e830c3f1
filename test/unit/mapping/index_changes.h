// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inserting into the index and erasing from it alone, without the table that it belongs to.
#pragma once

#include <mutex>

#include "mapping/ordered_index.h"

namespace omptarget {

inline void insert(OrderedIndex &index, uintptr_t key, Mapping *value) {
  for (OrderedIndex::Neighbours around = index.around(key);; around = index.around(key)) {
    if (!index.lock_around(key, around))
      continue;
    const bool is_full = index.is_full(around);
    if (!is_full)
      index.insert_at(around, key, value);
    index.unlock_around(around, !is_full);
    if (!is_full)
      return;
    const std::lock_guard everything(index);
    index.split(key);
  }
}
inline void erase(OrderedIndex &index, uintptr_t key, uint32_t likely_leaf = OrderedIndex::kNoLeaf) {
  OrderedIndex::Holder holder(index, key, likely_leaf);
  holder.erase();
}

} // namespace omptarget
