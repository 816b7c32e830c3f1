// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading a module's table of entries, of either layout.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "image/entry.h"
#include "image/module_bounds.h"

namespace omptarget {

/// Where a table lies and what holds it; bounds null: not known, nothing is checked against it.
struct EntryTable {
  const std::byte *begin;
  const std::byte *end;
  const ModuleBounds *bounds;
};

struct EntriesRead {
  std::vector<Entry> entries;       ///< OpenMP entries without requires records
  std::vector<uint32_t> index;      ///< of each of them in the table as emitted
  uint64_t requires_mask = 0;       ///< union of the requires records' masks
  uint64_t requires_by_all = ~0ull; ///< what each of these masks has; all bits if there is none
};

/// Bytes of an entry of this table: sizeof(__tgt_offload_entry) or sizeof(__tgt_offload_entry_v1). Empty tables: 0.
/// Fails if the length fits neither.
Result<uint32_t> entry_size(const EntryTable &table);

/// Reads all entries; fails, naming the entry, at the first record, name, address or size that makes no sense.
Result<EntriesRead> read_entries(const EntryTable &table, uint32_t entry_size);

} // namespace omptarget
