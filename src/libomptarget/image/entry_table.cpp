// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/entry_table.h"

#include <algorithm>
#include <cstring>

#include "generations/names.h"

namespace omptarget {

namespace {

constexpr uint32_t kOldSize = sizeof(__tgt_offload_entry);
constexpr uint32_t kNewSize = sizeof(__tgt_offload_entry_v1);

/// The fields of both layouts, not yet checked.
struct RawEntry {
  const void *address;
  const char *name;
  uint64_t size;
  uint32_t flags;
  uint64_t data;
  bool is_openmp;
};

template <typename Record> Record load(const std::byte *from) {
  Record record; // tables may be unaligned
  std::memcpy(&record, from, sizeof record);
  return record;
}

RawEntry read_raw(const std::byte *from, uint32_t entry_size) {
  if (entry_size == kOldSize) {
    const auto record = load<__tgt_offload_entry>(from);
    return {record.addr,
            record.name,
            record.size,
            static_cast<uint32_t>(record.flags),
            static_cast<uint32_t>(record.reserved),
            true};
  }
  const auto record = load<__tgt_offload_entry_v1>(from);
  return {record.address, record.symbol_name, record.size,
          record.flags,   record.data,        record.kind == OMPTARGET_ENTRY_KIND_OPENMP};
}

/// A first word of zero is how newer tables begin, but also a requires record of clang 19 that was linked first.
bool looks_like_old_requires(const EntryTable &table) {
  const auto record = load<__tgt_offload_entry>(table.begin);
  return record.addr == nullptr && record.name != nullptr && record.size == 0 &&
         record.flags == OMPTARGET_ENTRY_REQUIRES && (!table.bounds || table.bounds->contains_text(record.name));
}

bool looks_like_new_entry(const std::byte *from) {
  const auto record = load<__tgt_offload_entry_v1>(from);
  return record.reserved == 0 && record.version != 0 && record.kind != 0 && (record.kind & (record.kind - 1)) == 0;
}

EntryKind kind_of(const RawEntry &raw) {
  if (raw.flags & OMPTARGET_ENTRY_INDIRECT_VTABLE)
    return EntryKind::kVtable;
  if (raw.flags & OMPTARGET_ENTRY_INDIRECT)
    return raw.size == 0 ? EntryKind::kFunctionPointer : EntryKind::kIndirect;
  if (raw.size == 0) {
    if (raw.flags & OMPTARGET_ENTRY_CTOR)
      return EntryKind::kConstructor;
    return raw.flags & OMPTARGET_ENTRY_DTOR ? EntryKind::kDestructor : EntryKind::kKernel;
  }
  return raw.flags & OMPTARGET_ENTRY_LINK ? EntryKind::kLinkVariable : EntryKind::kVariable;
}

/// Bytes of the largest variable, and of the largest vtable group, that are believed.
constexpr uint64_t kMaxVariable = uint64_t{1} << 46;
constexpr uint64_t kMaxVtable = uint64_t{1} << 24;

/// The linker resolved the address, so that a loaded module has it: this one or, for what it shares with others,
/// another.
bool is_in_a_module(const RawEntry &raw, const ModuleBounds &bounds) {
  // The size of an entry for a function is that of a pointer to it.
  const uint64_t size = raw.flags & OMPTARGET_ENTRY_INDIRECT ? 1 : std::max<uint64_t>(raw.size, 1);
  if (bounds.contains(raw.address, size))
    return true;
  const std::optional<ModuleBounds> other = module_of(raw.address);
  return other && other->contains(raw.address, size);
}

/// Compilers give the kernel of a constructor or destructor a name of its own.
bool is_region(const char *name) {
  const std::optional<KernelSource> source = source_of_kernel(name);
  return source && source->rest.find_first_not_of("_0123456789") == std::string_view::npos;
}

Status check_entry(const EntryTable &table, uint32_t i, const RawEntry &raw) {
  if (!raw.name || (table.bounds && !table.bounds->contains_text(raw.name)))
    return Status::error(format("the name of entry %u lies outside of the module", i));
  constexpr uint32_t kRunsAlone = OMPTARGET_ENTRY_CTOR | OMPTARGET_ENTRY_DTOR;
  if (raw.size == 0 && (raw.flags & kRunsAlone) != 0 && is_region(raw.name))
    return Status::error(
        format("entry %u (%s) is a target region's, and its flags 0x%x say that it is a constructor or "
               "destructor",
               i, raw.name, raw.flags));
  const bool is_vtable = (raw.flags & OMPTARGET_ENTRY_INDIRECT_VTABLE) != 0;
  if (raw.size > (is_vtable ? kMaxVtable : kMaxVariable))
    return Status::error(
        format("entry %u (%s) claims %llu bytes", i, raw.name, static_cast<unsigned long long>(raw.size)));
  if (!raw.address)
    return Status::error(format("entry %u (%s) has no address", i, raw.name));
  if (table.bounds && !is_in_a_module(raw, *table.bounds))
    return Status::error(format("entry %u (%s) is at %p (%llu bytes), where no module has them", i, raw.name,
                                raw.address, static_cast<unsigned long long>(raw.size)));
  return Status::ok();
}

bool is_requires(const RawEntry &raw) { return raw.flags == OMPTARGET_ENTRY_REQUIRES && raw.address == nullptr; }

} // namespace

Result<uint32_t> entry_size(const EntryTable &table) {
  const auto bytes = static_cast<uint64_t>(table.end - table.begin);
  if (bytes == 0)
    return 0u;
  const bool fits_old = bytes % kOldSize == 0;
  const bool fits_new = bytes % kNewSize == 0;
  if (!fits_old && !fits_new)
    return Status::error(format("the entry table has %llu bytes, which is no multiple of %u or %u",
                                static_cast<unsigned long long>(bytes), kOldSize, kNewSize));
  if (load<uint64_t>(table.begin) != 0) {
    if (fits_old)
      return kOldSize;
    return Status::error("the entry table has the size of new entries, but does not begin like one");
  }
  if (fits_new && looks_like_new_entry(table.begin) && !(fits_old && looks_like_old_requires(table)))
    return kNewSize;
  if (fits_old && looks_like_old_requires(table))
    return kOldSize;
  const auto version = bytes >= kNewSize ? load<__tgt_offload_entry_v1>(table.begin).version : 0;
  return Status::error(format("the entry table begins like no known layout (record version %u)", version));
}

Result<EntriesRead> read_entries(const EntryTable &table, uint32_t entry_size) {
  EntriesRead result;
  if (entry_size == 0)
    return result;
  const auto count = static_cast<uint32_t>(static_cast<size_t>(table.end - table.begin) / entry_size);
  const uint64_t most_name_bytes = table.bounds ? table.bounds->whole().end - table.bounds->whole().begin : 0;
  uint64_t name_bytes = 0;
  result.entries.reserve(count);
  result.index.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    const std::byte *record = table.begin + static_cast<size_t>(i) * entry_size;
    const RawEntry raw = read_raw(record, entry_size);
    if (entry_size == kNewSize && load<__tgt_offload_entry_v1>(record).version != 1)
      return Status::error(
          format("entry %u has version %u; 1 is the only one known", i, load<__tgt_offload_entry_v1>(record).version));
    if (!raw.is_openmp)
      continue;
    if (is_requires(raw)) {
      result.requires_mask |= raw.data;
      result.requires_by_all &= raw.data != 0 ? raw.data : ~0ull;
      continue;
    }
    OMPTARGET_TRY(check_entry(table, i, raw));
    // Names that share their bytes would be read once for each.
    name_bytes += std::strlen(raw.name) + 1;
    if (table.bounds && name_bytes > most_name_bytes)
      return Status::error(
          format("the names of the entries up to %u have %llu bytes, more than the module: they overlap", i,
                 static_cast<unsigned long long>(name_bytes)));
    result.entries.push_back({host_ptr(raw.address), raw.name, raw.size, raw.flags, kind_of(raw)});
    result.index.push_back(i);
  }
  return result;
}

} // namespace omptarget
