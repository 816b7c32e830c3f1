// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ELF files for tests, made of sections alone.
#pragma once

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

#include "base/machine.h"

namespace omptarget {

/// An ELF file that is nothing but sections: a null one, the names, and what is added.
class SectionFile {
public:
  SectionFile() {
    add(".shstrtab", SHT_STRTAB, std::string(1, '\0'));
    sections_[0].name = 0;
  }
  void add(const std::string &name, uint32_t type, std::string contents, uint32_t link = 0, uint64_t entry_size = 0) {
    sections_.push_back({names_.size(), type, std::move(contents), link, entry_size});
    names_ += name + '\0';
  }
  struct Symbol {
    std::string name;
    uint64_t size = 0;
    uint8_t type = STT_NOTYPE;
    uint16_t section = SHN_UNDEF;
  };
  /// Symbols of these names, with a table of names of their own.
  void add_symbols(const std::vector<std::string> &names) {
    std::vector<Symbol> symbols;
    for (const std::string &name : names)
      symbols.push_back({name});
    add_sized_symbols(symbols);
  }
  void add_sized_symbols(const std::vector<Symbol> &added) {
    std::string texts(1, '\0');
    std::string symbols(sizeof(Elf64_Sym), '\0');
    for (const auto &[name, size, type, section] : added) {
      Elf64_Sym symbol{};
      symbol.st_size = size;
      symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, type);
      symbol.st_shndx = section;
      symbol.st_name = static_cast<uint32_t>(texts.size());
      symbols.append(reinterpret_cast<const char *>(&symbol), sizeof symbol);
      texts += name + '\0';
    }
    add(".strtab", SHT_STRTAB, texts);
    add(".symtab", SHT_SYMTAB, symbols, static_cast<uint32_t>(sections_.size()), sizeof(Elf64_Sym));
  }
  /// The library that the dynamic linker is to load beside it.
  void add_needed(const std::vector<std::string> &libraries) {
    std::string texts(1, '\0');
    std::string entries;
    for (const std::string &library : libraries) {
      const Elf64_Dyn entry{DT_NEEDED, {texts.size()}};
      entries.append(reinterpret_cast<const char *>(&entry), sizeof entry);
      texts += library + '\0';
    }
    add(".dynstr", SHT_STRTAB, texts);
    add(".dynamic", SHT_DYNAMIC, entries, static_cast<uint32_t>(sections_.size()), sizeof(Elf64_Dyn));
  }
  std::string bytes(uint16_t machine = kMachine.elf_machine) {
    sections_[0].contents = names_;
    std::string bytes(sizeof(Elf64_Ehdr), '\0');
    std::vector<Elf64_Shdr> headers(1);
    for (const Section &section : sections_) {
      bytes.resize((bytes.size() + 7) / 8 * 8);
      Elf64_Shdr header{};
      header.sh_name = static_cast<uint32_t>(section.name);
      header.sh_type = section.type;
      header.sh_offset = bytes.size();
      header.sh_size = section.contents.size();
      header.sh_link = section.link;
      header.sh_info = 1;
      header.sh_addralign = 8;
      header.sh_entsize = section.entry_size;
      headers.push_back(header);
      bytes += section.contents;
    }
    bytes.resize((bytes.size() + 7) / 8 * 8);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_machine = machine;
    header.e_type = ET_DYN;
    header.e_shoff = bytes.size();
    header.e_shnum = static_cast<uint16_t>(headers.size());
    header.e_shstrndx = 1;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_ehsize = sizeof header;
    std::memcpy(bytes.data(), &header, sizeof header);
    bytes.append(reinterpret_cast<const char *>(headers.data()), headers.size() * sizeof(Elf64_Shdr));
    return bytes;
  }

private:
  struct Section {
    size_t name;
    uint32_t type;
    std::string contents;
    uint32_t link;
    uint64_t entry_size;
  };
  std::vector<Section> sections_;
  std::string names_ = std::string(1, '\0');
};

} // namespace omptarget
