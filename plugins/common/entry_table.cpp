// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/entry_table.h"

#include <cstring>
#include <string_view>

namespace omptarget {

EntryKind kind_of(const __tgt_offload_entry &entry) {
  if (entry.flags & OMPTARGET_ENTRY_REQUIRES)
    return EntryKind::kNothing;
  if (entry.flags & OMPTARGET_ENTRY_INDIRECT)
    return entry.size == 0 ? EntryKind::kFunction : EntryKind::kPointer;
  if (entry.flags & (OMPTARGET_ENTRY_INDIRECT_VTABLE | OMPTARGET_ENTRY_LINK))
    return EntryKind::kPointer;
  return entry.size == 0 ? EntryKind::kKernel : EntryKind::kVariable;
}

bool is_reference_pointer(const __tgt_offload_entry &entry) {
  constexpr std::string_view kSuffix = "_decl_tgt_ref_ptr";
  return entry.name && entry.addr && entry.size == sizeof(void *) && !(entry.flags & OMPTARGET_ENTRY_INDIRECT) &&
         std::string_view(entry.name).ends_with(kSuffix);
}

Status build_entry_table(const __tgt_device_image &image, const EntryResolver &resolve, EntryTable &table) {
  const char *begin = reinterpret_cast<const char *>(image.EntriesBegin);
  const char *end = reinterpret_cast<const char *>(image.EntriesEnd);
  if (end < begin || static_cast<size_t>(end - begin) % sizeof(__tgt_offload_entry) != 0)
    return Status::error(
        format("a table of entries from %p to %p", static_cast<const void *>(begin), static_cast<const void *>(end)));
  const size_t count = static_cast<size_t>(end - begin) / sizeof(__tgt_offload_entry);
  table.entries.resize(count);
  for (size_t i = 0; i < count; ++i) {
    __tgt_offload_entry &entry = table.entries[i];
    std::memcpy(&entry, begin + i * sizeof(entry), sizeof(entry));
    const EntryKind kind = kind_of(entry);
    entry.addr = nullptr;
    if (kind == EntryKind::kNothing)
      continue;
    if (!entry.name)
      return Status::error(format("entry %zu of %zu has no name", i, count));
    OMPTARGET_TRY_ASSIGN(entry.addr, resolve(kind, entry.name, entry.size));
    entry.name = table.names.emplace_back(entry.name).data();
  }
  table.table = {table.entries.data(), table.entries.data() + count};
  return Status::ok();
}

} // namespace omptarget
