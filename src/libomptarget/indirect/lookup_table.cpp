// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "indirect/lookup_table.h"

#include <algorithm>

namespace omptarget {

namespace {
/// Late readers of the buffer's former contents make every store an atomic one.
void store(uint64_t &target, uint64_t value) { __atomic_store_n(&target, value, __ATOMIC_RELAXED); }
} // namespace

const LookupTable *LookupTable::fill(void *buffer, std::span<const __omp_offloading_fptr_map_ty> pairs) {
  auto *table = static_cast<LookupTable *>(buffer);
  auto *content = reinterpret_cast<Slot *>(table + 1);
  const uint64_t slots = LookupTable::slots(pairs.size());
  uint64_t first = UINT64_MAX;
  uint64_t last = 0;
  for (uint64_t slot = 0; slot < slots; ++slot) {
    store(content[slot].host_ptr, 0);
    store(content[slot].tgt_ptr, 0);
  }
  for (const Slot &pair : pairs) {
    first = std::min(first, pair.host_ptr);
    last = std::max(last, pair.host_ptr);
    uint64_t slot = home(pair.host_ptr, slots);
    while (content[slot].host_ptr != 0)
      slot = slot + 1 == slots ? 0 : slot + 1;
    store(content[slot].tgt_ptr, pair.tgt_ptr);
    store(content[slot].host_ptr, pair.host_ptr);
  }
  store(table->first_, first);
  store(table->last_, last);
  store(table->slots_, slots);
  return table;
}

} // namespace omptarget
