// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <map>

#include "host/image_check.h"

namespace omptarget::host {

namespace {

/// The tables of one image that its dynamic section names, each read only after its bounds are known.
class DynamicTables {
public:
  DynamicTables(std::string_view image, const ImageLayout &layout) : image_(image), layout_(layout) {}

  Status read_entries(uint64_t &spare_offset);
  Status check_strings();
  Status count_symbols();
  Status check_symbols() const;
  Status check_relocations(int64_t table, uint64_t size) const;
  Status check_packed_relocations() const;
  Status check_functions() const;
  Status check_versions() const;

  bool has(int64_t tag) const { return values_.contains(tag); }
  uint64_t value(int64_t tag) const {
    const auto found = values_.find(tag);
    return found == values_.end() ? 0 : found->second;
  }

private:
  /// The bytes at an address, as far as the file has them; empty if it does not have that many.
  std::string_view bytes(uint64_t address, uint64_t size) const {
    for (const Segment &segment : layout_.segments)
      if (address >= segment.address && size <= segment.file_size &&
          address - segment.address <= segment.file_size - size)
        return image_.substr(segment.file_offset + (address - segment.address), size);
    return {};
  }
  bool is_loaded(uint64_t address, uint64_t size) const {
    return std::any_of(layout_.segments.begin(), layout_.segments.end(), [&](const Segment &segment) {
      return address >= segment.address && size <= segment.memory_size &&
             address - segment.address <= segment.memory_size - size;
    });
  }
  template <typename T> static T at(std::string_view data, uint64_t index) {
    T value;
    std::memcpy(&value, data.data() + index * sizeof(T), sizeof value);
    return value;
  }
  Status count_by_gnu_hash();
  static Status damaged(const char *what) { return Status::error(format("the image's %s is damaged", what)); }

  std::string_view image_;
  const ImageLayout &layout_;
  std::map<int64_t, uint64_t> values_;
  std::vector<uint64_t> needed_; ///< offsets of names
  std::string_view strings_;
  std::string_view symbols_;
};

Status DynamicTables::read_entries(uint64_t &spare_offset) {
  const uint64_t size = layout_.dynamic_count * sizeof(Elf64_Dyn);
  const std::string_view data = bytes(layout_.dynamic_address, size);
  if (data.empty() || data.data() != image_.data() + layout_.dynamic_offset)
    return damaged("dynamic section");
  bool is_ended = false;
  uint64_t index = 0;
  for (; index < layout_.dynamic_count && !is_ended; ++index) {
    const auto entry = at<Elf64_Dyn>(data, index);
    is_ended = entry.d_tag == DT_NULL;
    if (entry.d_tag == DT_NEEDED)
      needed_.push_back(entry.d_un.d_val);
    else
      values_[entry.d_tag] = entry.d_un.d_val;
  }
  if (!is_ended)
    return Status::error("the image's dynamic section has no end");
  const bool is_symbolic = has(DT_SYMBOLIC) || (value(DT_FLAGS) & DF_SYMBOLIC) != 0;
  if (!is_symbolic && index < layout_.dynamic_count && at<Elf64_Dyn>(data, index).d_tag == DT_NULL)
    spare_offset = layout_.dynamic_offset + (index - 1) * sizeof(Elf64_Dyn);
  return Status::ok();
}

Status DynamicTables::check_strings() {
  strings_ = bytes(value(DT_STRTAB), value(DT_STRSZ));
  if (strings_.empty() || strings_.back() != '\0')
    return damaged("table of dynamic names");
  for (const uint64_t name : needed_)
    if (name >= strings_.size())
      return damaged("list of needed libraries");
  for (const int64_t tag : {DT_SONAME, DT_RPATH, DT_RUNPATH})
    if (has(tag) && value(tag) >= strings_.size())
      return damaged("dynamic section: a name lies outside the table of names");
  return Status::ok();
}

Status DynamicTables::count_by_gnu_hash() {
  constexpr uint64_t kHeader = 4 * sizeof(uint32_t);
  const uint64_t table = value(DT_GNU_HASH);
  const std::string_view header = bytes(table, kHeader);
  if (header.empty())
    return damaged("hash table");
  const auto buckets = at<uint32_t>(header, 0);
  const auto first = at<uint32_t>(header, 1);
  const auto filters = at<uint32_t>(header, 2);
  if (buckets == 0 || filters == 0 || (filters & (filters - 1)) != 0)
    return damaged("hash table");
  const uint64_t bucket_address = table + kHeader + uint64_t{filters} * sizeof(uint64_t);
  const std::string_view bucket_bytes = bytes(bucket_address, uint64_t{buckets} * sizeof(uint32_t));
  if (bucket_bytes.empty())
    return damaged("hash table");
  const uint64_t chains = bucket_address + bucket_bytes.size();
  uint64_t count = first;
  for (uint32_t i = 0; i < buckets; ++i) {
    uint64_t symbol = at<uint32_t>(bucket_bytes, i);
    if (symbol == 0)
      continue;
    if (symbol < first)
      return damaged("hash table");
    for (bool is_last = false; !is_last; ++symbol) {
      const std::string_view link = bytes(chains + (symbol - first) * sizeof(uint32_t), sizeof(uint32_t));
      if (link.empty())
        return damaged("hash table");
      is_last = (at<uint32_t>(link, 0) & 1) != 0;
      count = std::max(count, symbol + 1);
    }
  }
  symbols_ = bytes(value(DT_SYMTAB), count * sizeof(Elf64_Sym));
  return symbols_.empty() && count != 0 ? damaged("table of dynamic symbols") : Status::ok();
}

Status DynamicTables::count_symbols() {
  if (!has(DT_SYMTAB) || (has(DT_SYMENT) && value(DT_SYMENT) != sizeof(Elf64_Sym)))
    return damaged("table of dynamic symbols");
  if (has(DT_HASH)) {
    const std::string_view header = bytes(value(DT_HASH), 2 * sizeof(uint32_t));
    if (header.empty())
      return damaged("hash table");
    const uint64_t buckets = at<uint32_t>(header, 0);
    const uint64_t count = at<uint32_t>(header, 1);
    const std::string_view table = bytes(value(DT_HASH), (2 + buckets + count) * sizeof(uint32_t));
    if (table.empty() || buckets == 0)
      return damaged("hash table");
    for (uint64_t i = 2; i < 2 + buckets + count; ++i)
      if (at<uint32_t>(table, i) >= std::max<uint64_t>(count, 1))
        return damaged("hash table");
    symbols_ = bytes(value(DT_SYMTAB), count * sizeof(Elf64_Sym));
    if (symbols_.empty() && count != 0)
      return damaged("table of dynamic symbols");
    if (!has(DT_GNU_HASH))
      return Status::ok();
  }
  if (!has(DT_GNU_HASH))
    return Status::error("the image has no hash table of symbols");
  return count_by_gnu_hash();
}

Status DynamicTables::check_symbols() const {
  for (uint64_t i = 0; i < symbols_.size() / sizeof(Elf64_Sym); ++i) {
    const auto symbol = at<Elf64_Sym>(symbols_, i);
    if (symbol.st_name >= strings_.size())
      return damaged("table of dynamic symbols");
    const bool has_address = symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE &&
                             ELF64_ST_TYPE(symbol.st_info) != STT_TLS && symbol.st_value != 0;
    if (has_address && !is_loaded(symbol.st_value, 0))
      return Status::error(format("the image's symbol '%s' lies outside the image", strings_.data() + symbol.st_name));
  }
  return Status::ok();
}

Status DynamicTables::check_relocations(int64_t table, uint64_t size) const {
  if (!has(table) || size == 0)
    return Status::ok();
  const std::string_view data = bytes(value(table), size);
  if (data.empty() || size % sizeof(Elf64_Rela) != 0)
    return damaged("table of relocations");
  for (uint64_t i = 0; i < size / sizeof(Elf64_Rela); ++i) {
    const auto relocation = at<Elf64_Rela>(data, i);
    if (ELF64_R_TYPE(relocation.r_info) == R_X86_64_NONE)
      continue;
    if (ELF64_R_SYM(relocation.r_info) != 0 &&
        ELF64_R_SYM(relocation.r_info) >= std::max<uint64_t>(symbols_.size() / sizeof(Elf64_Sym), 1) &&
        !bytes(value(DT_SYMTAB), (ELF64_R_SYM(relocation.r_info) + 1) * sizeof(Elf64_Sym)).data())
      return damaged("table of relocations: a symbol does not exist");
    if (!is_loaded(relocation.r_offset, sizeof(uint64_t)))
      return damaged("table of relocations: a place lies outside the image");
    const uint64_t target = static_cast<uint64_t>(relocation.r_addend);
    const auto type = ELF64_R_TYPE(relocation.r_info);
    if (type == R_X86_64_IRELATIVE && !is_loaded(target, 1))
      return damaged("table of relocations: a resolver lies outside the image");
  }
  return Status::ok();
}

Status DynamicTables::check_packed_relocations() const {
  constexpr int64_t kRelrSize = 35;
  constexpr int64_t kRelr = 36;
  if (!has(kRelr))
    return Status::ok();
  const std::string_view data = bytes(value(kRelr), value(kRelrSize));
  if ((data.empty() && value(kRelrSize) != 0) || data.size() % sizeof(uint64_t) != 0)
    return damaged("table of packed relocations");
  uint64_t next = 0;
  for (uint64_t i = 0; i < data.size() / sizeof(uint64_t); ++i) {
    const auto word = at<uint64_t>(data, i);
    if ((word & 1) == 0) {
      next = word + sizeof(uint64_t);
      if (!is_loaded(word, sizeof(uint64_t)))
        return damaged("table of packed relocations");
      continue;
    }
    for (unsigned bit = 1; bit < 64; ++bit)
      if ((word >> bit & 1) != 0 && !is_loaded(next + (bit - 1) * sizeof(uint64_t), sizeof(uint64_t)))
        return damaged("table of packed relocations");
    next += 63 * sizeof(uint64_t);
  }
  return Status::ok();
}

Status DynamicTables::check_functions() const {
  for (const int64_t tag : {DT_INIT, DT_FINI})
    if (has(tag) && value(tag) != 0 && !is_loaded(value(tag), 1))
      return damaged("dynamic section: an initialisation function lies outside the image");
  const int64_t arrays[][2] = {{DT_INIT_ARRAY, DT_INIT_ARRAYSZ}, {DT_FINI_ARRAY, DT_FINI_ARRAYSZ}};
  for (const auto &[array, size] : arrays)
    if (has(array) && (value(size) % sizeof(uint64_t) != 0 || !is_loaded(value(array), value(size))))
      return damaged("dynamic section: a table of initialisation functions lies outside the image");
  return Status::ok();
}

Status DynamicTables::check_versions() const {
  const uint64_t count = symbols_.size() / sizeof(Elf64_Sym);
  if (has(DT_VERSYM) && count != 0 && bytes(value(DT_VERSYM), count * sizeof(uint16_t)).empty())
    return damaged("table of symbol versions");
  uint64_t address = value(DT_VERNEED);
  for (uint64_t i = 0; has(DT_VERNEED) && i < value(DT_VERNEEDNUM); ++i) {
    const std::string_view record = bytes(address, sizeof(Elf64_Verneed));
    if (record.empty())
      return damaged("table of needed versions");
    const auto need = at<Elf64_Verneed>(record, 0);
    uint64_t part = address + need.vn_aux;
    for (unsigned j = 0; j < need.vn_cnt; ++j) {
      const std::string_view aux = bytes(part, sizeof(Elf64_Vernaux));
      if (aux.empty() || at<Elf64_Vernaux>(aux, 0).vna_name >= strings_.size())
        return damaged("table of needed versions");
      part += at<Elf64_Vernaux>(aux, 0).vna_next;
    }
    if (need.vn_file >= strings_.size())
      return damaged("table of needed versions");
    if (need.vn_next == 0)
      break;
    address += need.vn_next;
  }
  address = value(DT_VERDEF);
  for (uint64_t i = 0; has(DT_VERDEF) && i < value(DT_VERDEFNUM); ++i) {
    const std::string_view record = bytes(address, sizeof(Elf64_Verdef));
    if (record.empty() || bytes(address + at<Elf64_Verdef>(record, 0).vd_aux, sizeof(Elf64_Verdaux)).empty())
      return damaged("table of defined versions");
    if (at<Elf64_Verdef>(record, 0).vd_next == 0)
      break;
    address += at<Elf64_Verdef>(record, 0).vd_next;
  }
  return Status::ok();
}

} // namespace

Status check_dynamic(std::string_view image, ImageLayout &layout) {
  DynamicTables tables(image, layout);
  OMPTARGET_TRY(tables.read_entries(layout.spare_dynamic_offset));
  OMPTARGET_TRY(tables.check_strings());
  OMPTARGET_TRY(tables.count_symbols());
  OMPTARGET_TRY(tables.check_symbols());
  OMPTARGET_TRY(tables.check_relocations(DT_RELA, tables.value(DT_RELASZ)));
  OMPTARGET_TRY(tables.check_relocations(DT_JMPREL, tables.value(DT_PLTRELSZ)));
  OMPTARGET_TRY(tables.check_packed_relocations());
  OMPTARGET_TRY(tables.check_functions());
  return tables.check_versions();
}

} // namespace omptarget::host
