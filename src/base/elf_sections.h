// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections and symbols of a module's file, which may be damaged.
#pragma once

#include <cstring>
#include <elf.h>
#include <link.h>
#include <optional>
#include <string_view>
#include <vector>

namespace omptarget {

/// Those that are damaged are left out. The file outlives this.
class ElfSections {
public:
  explicit ElfSections(std::string_view file) : file_(file) {
    const auto header = read<ElfW(Ehdr)>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_shentsize != sizeof(ElfW(Shdr)))
      return;
    for (uint64_t i = 0; i < header->e_shnum; ++i)
      if (const auto section = read<ElfW(Shdr)>(header->e_shoff + i * sizeof(ElfW(Shdr))))
        sections_.push_back(*section);
    names_ = contents(header->e_shstrndx);
  }

  /// Empty if there is none, also if it is compressed.
  std::string_view find(const char *name) const {
    for (size_t i = 0; i < sections_.size(); ++i)
      if (text_at(names_, sections_[i].sh_name) == name)
        return contents(i);
    return {};
  }
  /// Returns the header of a section of this name, or nothing.
  std::optional<ElfW(Shdr)> header(const char *name) const {
    for (const ElfW(Shdr) & section : sections_)
      if (text_at(names_, section.sh_name) == name)
        return section;
    return std::nullopt;
  }
  /// Calls take(symbol, name) for the symbols of a table of this type. Returns whether there is one.
  template <typename Take> bool each_symbol(uint32_t type, Take take) const {
    for (size_t i = 0; i < sections_.size(); ++i) {
      if (sections_[i].sh_type != type)
        continue;
      const std::string_view symbols = contents(i), names = contents(sections_[i].sh_link);
      for (size_t at = 0; at + sizeof(ElfW(Sym)) <= symbols.size(); at += sizeof(ElfW(Sym))) {
        ElfW(Sym) symbol;
        std::memcpy(&symbol, symbols.data() + at, sizeof symbol);
        take(symbol, text_at(names, symbol.st_name));
      }
      return true;
    }
    return false;
  }

private:
  template <typename T> std::optional<T> read(uint64_t offset) const {
    if (offset > file_.size() || file_.size() - offset < sizeof(T))
      return std::nullopt;
    T value;
    std::memcpy(&value, file_.data() + offset, sizeof(T));
    return value;
  }
  std::string_view contents(size_t number) const {
    if (number >= sections_.size())
      return {};
    const ElfW(Shdr) &section = sections_[number];
    if (section.sh_type == SHT_NOBITS || (section.sh_flags & SHF_COMPRESSED) != 0 || section.sh_offset > file_.size())
      return {};
    return file_.substr(section.sh_offset, section.sh_size);
  }
  static std::string_view text_at(std::string_view names, uint64_t offset) {
    if (offset >= names.size())
      return {};
    const std::string_view text = names.substr(offset);
    return text.substr(0, text.find('\0'));
  }

  std::string_view file_;
  std::vector<ElfW(Shdr)> sections_;
  std::string_view names_;
};

} // namespace omptarget
