// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/elf_image.h"

#include <algorithm>
#include <cstring>
#include <elf.h>

namespace omptarget {

/// A symbol table and its names.
struct ElfTable {
  std::string_view symbols;
  std::string_view names;
};

namespace {

std::string_view part(std::string_view bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset)
    return {};
  return bytes.substr(offset, size);
}

/// Reads names, of which several may end alike and share bytes, but not so many that reading them takes the square of
/// the image's size.
class NameReader {
public:
  explicit NameReader(size_t image_size) : budget_(4 * static_cast<uint64_t>(image_size)) {}

  std::string_view text_at(std::string_view names, uint64_t offset) {
    if (offset >= names.size() || budget_ == 0)
      return {};
    const std::string_view rest = names.substr(offset);
    const size_t end = rest.find('\0');
    const size_t seen = end == std::string_view::npos ? rest.size() : end + 1;
    budget_ -= std::min<uint64_t>(seen, budget_);
    return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
  }
  Status check() const {
    return budget_ != 0 ? Status::ok() : Status::error("its names are many times longer than it is: they overlap");
  }

private:
  uint64_t budget_;
};

template <typename T> T record(std::string_view bytes, uint64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

} // namespace

struct ElfNames : NameReader {
  using NameReader::NameReader;
};

Result<ElfHeader> ElfHeader::read(const void *image, size_t size) {
  if (size < sizeof(Elf64_Ehdr))
    return Status::error(format("%zu bytes are too few for an ELF file", size));
  Elf64_Ehdr raw;
  std::memcpy(&raw, image, sizeof(raw));
  if (std::memcmp(raw.e_ident, ELFMAG, SELFMAG) != 0)
    return Status::error("no ELF file");
  if (raw.e_ident[EI_CLASS] != ELFCLASS64 || raw.e_ident[EI_DATA] != ELFDATA2LSB)
    return Status::error(format("ELF class %u and data encoding %u instead of 64 bits, little endian",
                                raw.e_ident[EI_CLASS], raw.e_ident[EI_DATA]));
  return ElfHeader{raw.e_ident[EI_OSABI], raw.e_ident[EI_ABIVERSION], raw.e_type, raw.e_machine, raw.e_flags};
}

Result<ElfImage> ElfImage::parse(const void *image, size_t size) {
  ElfImage elf;
  OMPTARGET_TRY_ASSIGN(elf.header_, ElfHeader::read(image, size));
  OMPTARGET_TRY(elf.read_sections(std::string_view(static_cast<const char *>(image), size)));
  return elf;
}

Status ElfImage::read_sections(std::string_view bytes) {
  const Elf64_Ehdr header = record<Elf64_Ehdr>(bytes, 0);
  if (header.e_shnum == 0 || header.e_shoff == 0)
    return Status::ok();
  const std::string_view table = part(bytes, header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  if (header.e_shentsize != sizeof(Elf64_Shdr) || table.empty())
    return Status::error(format("its %u section headers of %u bytes at %#llx do not lie inside of its %zu bytes",
                                header.e_shnum, header.e_shentsize, static_cast<unsigned long long>(header.e_shoff),
                                bytes.size()));
  std::vector<Elf64_Shdr> raw(header.e_shnum);
  std::memcpy(raw.data(), table.data(), table.size());
  std::vector<std::string_view> contents(raw.size());
  uint64_t total = 0;
  for (size_t i = 0; i < raw.size(); ++i)
    if (raw[i].sh_type != SHT_NOBITS && raw[i].sh_type != SHT_NULL) {
      contents[i] = part(bytes, raw[i].sh_offset, raw[i].sh_size);
      if (contents[i].empty() && raw[i].sh_size != 0)
        return Status::error(format("section %zu does not lie inside of its %zu bytes", i, bytes.size()));
      total += contents[i].size();
    }
  if (total > 2 * static_cast<uint64_t>(bytes.size()))
    return Status::error(format("its sections have %llu bytes, it has %zu: they overlap",
                                static_cast<unsigned long long>(total), bytes.size()));
  ElfNames reader(bytes.size());
  const std::string_view names = header.e_shstrndx < raw.size() ? contents[header.e_shstrndx] : std::string_view();
  for (size_t i = 0; i < raw.size(); ++i)
    sections_.push_back({reader.text_at(names, raw[i].sh_name), raw[i].sh_type, raw[i].sh_addr, contents[i]});
  for (const uint32_t wanted : {SHT_SYMTAB, SHT_DYNSYM})
    for (size_t i = 0; i < raw.size(); ++i)
      if (raw[i].sh_type == wanted && raw[i].sh_link < raw.size())
        OMPTARGET_TRY(read_symbols({contents[i], contents[raw[i].sh_link]}, reader));
  return reader.check();
}

Status ElfImage::read_symbols(const ElfTable &table, ElfNames &reader) {
  const size_t count = table.symbols.size() / sizeof(Elf64_Sym);
  for (size_t i = 1; i < count; ++i) {
    const Elf64_Sym raw = record<Elf64_Sym>(table.symbols, i);
    const uint8_t type = ELF64_ST_TYPE(raw.st_info);
    if (raw.st_shndx == SHN_UNDEF || type == STT_SECTION || type == STT_FILE)
      continue;
    const std::string_view name = reader.text_at(table.names, raw.st_name);
    if (name.empty())
      continue;
    const auto [known, is_new] = by_name_.emplace(name, static_cast<uint32_t>(symbols_.size()));
    if (is_new) {
      symbols_.push_back({name, raw.st_value, raw.st_size, raw.st_shndx, type, static_cast<uint32_t>(i)});
      continue;
    }
    ElfSymbol &first = symbols_[known->second];
    first.is_ambiguous |= first.section != raw.st_shndx || first.value != raw.st_value;
  }
  return reader.check();
}

const ElfSymbol *ElfImage::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &symbols_[found->second];
}

bool ElfImage::read(const ElfSymbol &symbol, void *destination, size_t size) const {
  if (symbol.section >= sections_.size() || symbol.size < size)
    return false;
  const ElfSection &section = sections_[symbol.section];
  if (symbol.value < section.address)
    return false;
  const std::string_view bytes = part(section.contents, symbol.value - section.address, size);
  if (bytes.size() != size)
    return false;
  std::memcpy(destination, bytes.data(), size);
  return true;
}

} // namespace omptarget
