// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols, their hash tables and their versions.

#include <algorithm>

#include "host/image_dynamic.h"

namespace omptarget::host {

namespace {

constexpr uint16_t kVersionIndex = 0x7fff; ///< the rest of the word says that a version is hidden
constexpr uint64_t kMostVersions = 1 << 16;

} // namespace

/// Buckets name the first symbol of a chain; a chain goes on with the next symbols until a hash is odd.
Status DynamicTables::count_by_gnu_hash() {
  constexpr uint64_t kHeader = 4 * sizeof(uint32_t);
  const uint64_t address = value(DT_GNU_HASH);
  const std::string_view header = table(address, kHeader);
  if (header.empty())
    return damaged("hash table");
  const auto buckets = at<uint32_t>(header, 0);
  const auto first = at<uint32_t>(header, 1);
  const auto filters = at<uint32_t>(header, 2);
  if (buckets == 0 || filters == 0 || (filters & (filters - 1)) != 0)
    return damaged("hash table");
  const uint64_t bucket_address = address + kHeader + uint64_t{filters} * sizeof(uint64_t);
  const std::string_view bucket_bytes = table(bucket_address, uint64_t{buckets} * sizeof(uint32_t));
  if (bucket_bytes.empty() || table(address, bucket_address - address).empty())
    return damaged("hash table");
  uint64_t last_begin = 0;
  for (uint32_t i = 0; i < buckets; ++i) {
    const uint64_t symbol = at<uint32_t>(bucket_bytes, i);
    if (symbol != 0 && symbol < first)
      return damaged("hash table");
    last_begin = std::max(last_begin, symbol);
  }
  symbol_count_ = std::max<uint64_t>(symbol_count_, first);
  if (last_begin == 0)
    return Status::ok();
  // No chain ends later than the one that begins last. Each symbol is in one chain: others would cost the linker, which
  // walks all of them, the square of their number.
  const uint64_t chains = bucket_address + bucket_bytes.size();
  uint64_t end = last_begin;
  for (bool is_last = false; !is_last; ++end) {
    const std::string_view link = bytes(chains + (end - first) * sizeof(uint32_t), sizeof(uint32_t));
    if (link.empty())
      return damaged("hash table");
    is_last = (at<uint32_t>(link, 0) & 1) != 0;
  }
  const std::string_view chain_bytes = table(chains, (end - first) * sizeof(uint32_t));
  if (chain_bytes.empty())
    return damaged("hash table");
  std::vector<bool> is_begin(end - first), is_chained(end - first);
  for (uint32_t i = 0; i < buckets; ++i)
    if (const uint64_t symbol = at<uint32_t>(bucket_bytes, i); symbol != 0) {
      if (is_begin[symbol - first])
        return damaged("hash table");
      is_begin[symbol - first] = true;
    }
  for (uint64_t i = 0; i + 1 < end - first; ++i)
    if ((at<uint32_t>(chain_bytes, i) & 1) == 0 && is_begin[i + 1])
      return damaged("hash table");
  symbol_count_ = std::max(symbol_count_, end);
  return Status::ok();
}

/// Buckets name a symbol, chains the next one, until it is 0.
Status DynamicTables::count_by_sysv_hash() {
  if (!has(DT_HASH))
    return Status::error("the image has no hash table of symbols");
  const std::string_view header = bytes(value(DT_HASH), 2 * sizeof(uint32_t));
  if (header.empty())
    return damaged("hash table");
  const uint64_t buckets = at<uint32_t>(header, 0);
  const uint64_t count = at<uint32_t>(header, 1);
  const std::string_view data = table(value(DT_HASH), (2 + buckets + count) * sizeof(uint32_t));
  if (data.empty() || buckets == 0)
    return damaged("hash table");
  std::vector<bool> is_chained(count);
  for (uint64_t i = 0; i < buckets; ++i)
    for (uint64_t symbol = at<uint32_t>(data, 2 + i); symbol != 0; symbol = at<uint32_t>(data, 2 + buckets + symbol)) {
      if (symbol >= count || is_chained[symbol])
        return damaged("hash table");
      is_chained[symbol] = true;
    }
  symbol_count_ = std::max(symbol_count_, count);
  return Status::ok();
}

Status DynamicTables::check_symbol(const Elf64_Sym &symbol) const {
  if (!is_name(symbol.st_name))
    return damaged("table of dynamic symbols");
  const char *const name = strings_.data() + symbol.st_name;
  const uint32_t type = ELF64_ST_TYPE(symbol.st_info);
  if (symbol.st_shndx == SHN_UNDEF)
    return Status::ok();
  if (type == STT_GNU_IFUNC && (symbol.st_shndx == SHN_ABS || !is_code(symbol.st_value)))
    return Status::error(format("the image's symbol '%s' is found by a function that lies outside its code", name));
  if (type == STT_FUNC && symbol.st_shndx != SHN_ABS && !is_code(symbol.st_value))
    return Status::error(format("the image's function '%s' lies outside its code", name));
  if (type == STT_TLS && layout_.thread_size == 0)
    return Status::error(format("the image's symbol '%s' is a thread's own, and the image has no such data", name));
  if (symbol.st_shndx < SHN_LORESERVE && type != STT_TLS && symbol.st_value != 0 && !is_loaded(symbol.st_value, 0))
    return Status::error(format("the image's symbol '%s' lies outside the image", name));
  return Status::ok();
}

Status DynamicTables::check_symbols() {
  symbols_ = table(value(DT_SYMTAB), symbol_count_ * sizeof(Elf64_Sym));
  if (symbols_.empty() && symbol_count_ != 0)
    return damaged("table of dynamic symbols");
  for (uint64_t i = 0; i < symbol_count_; ++i)
    OMPTARGET_TRY(check_symbol(at<Elf64_Sym>(symbols_, i)));
  return Status::ok();
}

/// The versions of one library. The linker follows vna_next, whatever vn_cnt says.
Status DynamicTables::read_needed_version(uint64_t address, const Elf64_Verneed &need, uint64_t &budget) {
  for (uint64_t part = address + need.vn_aux;;) {
    const std::string_view record = table(part, sizeof(Elf64_Vernaux));
    if (record.empty() || budget-- == 0)
      return damaged("table of needed versions");
    const auto aux = at<Elf64_Vernaux>(record, 0);
    if (!is_name(aux.vna_name))
      return damaged("table of needed versions");
    version_count_ = std::max<uint64_t>(version_count_, aux.vna_other & kVersionIndex);
    if (aux.vna_next == 0)
      return Status::ok();
    part += aux.vna_next;
  }
}

Status DynamicTables::read_needed_versions() {
  uint64_t budget = kMostVersions;
  for (uint64_t address = value(DT_VERNEED); has(DT_VERNEED);) {
    const std::string_view record = table(address, sizeof(Elf64_Verneed));
    if (record.empty() || budget-- == 0)
      return damaged("table of needed versions");
    const auto need = at<Elf64_Verneed>(record, 0);
    // The linker looks for a loaded library of that name, and ends the process if there is none.
    const auto is_needed = [&](uint64_t name) {
      return std::strcmp(strings_.data() + name, strings_.data() + need.vn_file) == 0;
    };
    if (!is_name(need.vn_file) || std::none_of(needed_.begin(), needed_.end(), is_needed))
      return damaged("table of needed versions: a library is not among those that it needs");
    OMPTARGET_TRY(read_needed_version(address, need, budget));
    if (need.vn_next == 0)
      break;
    address += need.vn_next;
  }
  return Status::ok();
}

Status DynamicTables::read_defined_versions() {
  uint64_t budget = kMostVersions;
  for (uint64_t address = value(DT_VERDEF); has(DT_VERDEF);) {
    const std::string_view record = table(address, sizeof(Elf64_Verdef));
    if (record.empty() || budget-- == 0)
      return damaged("table of defined versions");
    const auto definition = at<Elf64_Verdef>(record, 0);
    const std::string_view aux = table(address + definition.vd_aux, sizeof(Elf64_Verdaux));
    if (aux.empty() || !is_name(at<Elf64_Verdaux>(aux, 0).vda_name))
      return damaged("table of defined versions");
    version_count_ = std::max<uint64_t>(version_count_, definition.vd_ndx & kVersionIndex);
    if (definition.vd_next == 0)
      break;
    address += definition.vd_next;
  }
  return Status::ok();
}

/// The linker takes a symbol's version as an index without looking at how many there are.
Status DynamicTables::check_versions() {
  if (!has(DT_VERSYM))
    return Status::ok();
  const std::string_view versions = table(value(DT_VERSYM), symbol_count_ * sizeof(uint16_t));
  if (versions.empty() && symbol_count_ != 0)
    return damaged("table of symbol versions");
  for (uint64_t i = 0; i < symbol_count_; ++i)
    if ((at<uint16_t>(versions, i) & kVersionIndex) > version_count_)
      return damaged("table of symbol versions: a symbol has a version that there is not");
  return Status::ok();
}

} // namespace omptarget::host
