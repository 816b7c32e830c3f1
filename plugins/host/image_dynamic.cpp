// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/image_dynamic.h"

#include "base/machine.h"

#include <algorithm>

namespace omptarget::host {

namespace {

// Tags that come without each other only in damaged images.
struct TagPair {
  int64_t tag;
  int64_t needed;
};
constexpr TagPair kPairs[] = {
    {DT_RELA, DT_RELASZ},
    {DT_RELA, DT_RELAENT},
    {DT_PLTREL, DT_JMPREL},
    {DT_JMPREL, DT_PLTREL},
    {DT_JMPREL, DT_PLTRELSZ},
    {DT_JMPREL, DT_PLTGOT},
    {kRelr, kRelrSize},
    {kRelr, kRelrEntry},
    {DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
    {DT_FINI_ARRAY, DT_FINI_ARRAYSZ},
    {DT_VERNEED, DT_VERSYM},
    {DT_VERDEF, DT_VERSYM},
};

// Sizes of records, which the linker asserts.
struct RecordSize {
  int64_t tag;
  uint64_t size;
};
constexpr RecordSize kRecordSizes[] = {{DT_RELAENT, sizeof(Elf64_Rela)},
                                       {DT_SYMENT, sizeof(Elf64_Sym)},
                                       {kRelrEntry, sizeof(uint64_t)},
                                       {DT_PLTREL, DT_RELA}};

} // namespace

const Segment *DynamicTables::segment_of(uint64_t address, uint64_t size) const {
  for (const Segment &segment : layout_.segments)
    if (address >= segment.address && size <= segment.memory_size &&
        address - segment.address <= segment.memory_size - size)
      return &segment;
  return nullptr;
}

std::string_view DynamicTables::bytes(uint64_t address, uint64_t size) const {
  const Segment *segment = segment_of(address, size);
  if (!segment || !segment->is_readable || size > segment->file_size ||
      address - segment->address > segment->file_size - size)
    return {};
  return image_.substr(segment->file_offset + (address - segment->address), size);
}

std::string_view DynamicTables::table(uint64_t address, uint64_t size) {
  const auto overlaps = [&](uint64_t begin, uint64_t bytes) {
    return address < begin + bytes && begin < address + size;
  };
  // The linker moves the addresses in the dynamic section, and has words of its own in the table of calls.
  if (overlaps(layout_.dynamic_address, layout_.dynamic_count * sizeof(Elf64_Dyn)) ||
      (has(DT_PLTGOT) && overlaps(value(DT_PLTGOT) + kMachine.calls.linker_begin,
                                  kMachine.calls.linker_end - kMachine.calls.linker_begin)))
    return {};
  const std::string_view found = bytes(address, size);
  if (!found.empty())
    tables_.push_back({address, address + size});
  return found;
}

bool DynamicTables::is_code(uint64_t address) const {
  const Segment *segment = segment_of(address, 1);
  return segment && segment->is_executable && address - segment->address < segment->file_size;
}

bool DynamicTables::binds_at_once() const {
  return has(DT_BIND_NOW) || (value(DT_FLAGS) & DF_BIND_NOW) != 0 || (value(DT_FLAGS_1) & DF_1_NOW) != 0;
}

Status DynamicTables::read_entries() {
  const uint64_t size = layout_.dynamic_count * sizeof(Elf64_Dyn);
  const std::string_view data = bytes(layout_.dynamic_address, size);
  const Segment *segment = segment_of(layout_.dynamic_address, size);
  if (data.empty() || data.data() != image_.data() + layout_.dynamic_offset)
    return damaged("dynamic section");
  // The linker writes to it, unless its program header says that it cannot.
  if (layout_.is_dynamic_writable && !segment->is_writable)
    return damaged("dynamic section: it cannot be written, and its program header says that it can");
  tables_.push_back({layout_.dynamic_address, layout_.dynamic_address + size});
  bool is_ended = false;
  uint64_t index = 0, replaceable = 0;
  for (; index < layout_.dynamic_count && !is_ended; ++index) {
    const auto entry = at<Elf64_Dyn>(data, index);
    is_ended = entry.d_tag == DT_NULL;
    if (entry.d_tag == DT_NEEDED)
      needed_.push_back(entry.d_un.d_val);
    else if (entry.d_tag == DT_FILTER || entry.d_tag == DT_AUXILIARY)
      filtered_.push_back(entry.d_un.d_val);
    else
      values_[entry.d_tag] = entry.d_un.d_val;
    // The dynamic linker does not need these: a count that saves it time, and a name that nobody asks for.
    if (entry.d_tag == DT_RELACOUNT || (entry.d_tag == DT_SONAME && replaceable == 0))
      replaceable = layout_.dynamic_offset + index * sizeof(Elf64_Dyn);
  }
  if (!is_ended)
    return Status::error("the image's dynamic section has no end");
  const bool is_symbolic = has(DT_SYMBOLIC) || (value(DT_FLAGS) & DF_SYMBOLIC) != 0;
  const bool is_one_spare = index < layout_.dynamic_count && at<Elf64_Dyn>(data, index).d_tag == DT_NULL;
  if (!is_symbolic) // GNU's ld leaves entries to spare, lld does not
    layout_.spare_dynamic_offset =
        is_one_spare ? layout_.dynamic_offset + (index - 1) * sizeof(Elf64_Dyn) : replaceable;
  return Status::ok();
}

Status DynamicTables::check_entries() const {
  for (const int64_t tag : {DT_STRTAB, DT_STRSZ, DT_SYMTAB})
    if (!has(tag))
      return damaged("dynamic section: it names no table of symbols, or none of names");
  for (const TagPair &pair : kPairs)
    if (has(pair.tag) && !has(pair.needed))
      return Status::error(format("the image's dynamic section is damaged: it has entry %#llx without entry %#llx",
                                  static_cast<unsigned long long>(pair.tag),
                                  static_cast<unsigned long long>(pair.needed)));
  for (const RecordSize &record : kRecordSizes)
    if (has(record.tag) && value(record.tag) != record.size)
      return Status::error(format("the image's dynamic section is damaged: entry %#llx is %llu, expected %llu",
                                  static_cast<unsigned long long>(record.tag),
                                  static_cast<unsigned long long>(value(record.tag)),
                                  static_cast<unsigned long long>(record.size)));
  return Status::ok();
}

Status DynamicTables::check_strings() {
  strings_ = table(value(DT_STRTAB), value(DT_STRSZ));
  if (strings_.empty() || strings_.back() != '\0')
    return damaged("table of dynamic names");
  for (const uint64_t name : needed_)
    if (!is_name(name))
      return damaged("list of needed libraries");
  if (!std::all_of(filtered_.begin(), filtered_.end(), [&](uint64_t name) { return is_name(name); }))
    return damaged("list of filters");
  for (const int64_t tag : {DT_SONAME, DT_RPATH, DT_RUNPATH})
    if (has(tag) && !is_name(value(tag)))
      return damaged("dynamic section: a name lies outside the table of names");
  return Status::ok();
}

Status DynamicTables::check_functions() {
  for (const int64_t tag : {DT_INIT, DT_FINI})
    if (has(tag) && !is_code(value(tag)))
      return damaged("dynamic section: an initialisation function lies outside the image's code");
  const int64_t arrays[][2] = {{DT_INIT_ARRAY, DT_INIT_ARRAYSZ}, {DT_FINI_ARRAY, DT_FINI_ARRAYSZ}};
  for (const auto &[array, size] : arrays) {
    if (!has(array) || value(size) == 0)
      continue;
    if (value(size) % sizeof(uint64_t) != 0 || bytes(value(array), value(size)).empty())
      return damaged("dynamic section: a table of initialisation functions lies outside the image");
    initialisers_.push_back({value(array), value(array) + value(size)});
  }
  return Status::ok();
}

Status DynamicTables::check() {
  OMPTARGET_TRY(read_entries());
  OMPTARGET_TRY(check_entries());
  OMPTARGET_TRY(check_strings());
  OMPTARGET_TRY(find_relocations());
  OMPTARGET_TRY(has(DT_GNU_HASH) ? count_by_gnu_hash() : count_by_sysv_hash());
  OMPTARGET_TRY(check_symbols());
  OMPTARGET_TRY(read_needed_versions());
  OMPTARGET_TRY(read_defined_versions());
  OMPTARGET_TRY(check_versions());
  OMPTARGET_TRY(check_functions());
  OMPTARGET_TRY(check_relocations());
  OMPTARGET_TRY(check_packed_relocations());
  OMPTARGET_TRY(check_lazy_binding());
  OMPTARGET_TRY(check_initialisers());
  find_device_functions();
  return Status::ok();
}

Status check_dynamic(std::string_view image, ImageLayout &layout) { return DynamicTables(image, layout).check(); }

} // namespace omptarget::host
