// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/info/missing_entries.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_set>

#include "base/machine.h"
#include "generations/names.h"
#include "image/image_signs.h"
#include "omptarget/types.h"
#include "plugin/elf_file.h"
#include "tools/info/elf_memory.h"

namespace omptarget::info_tool {

namespace {

/// The names that an image defines. The bytes of all names together are at most those of the file: names that share
/// their bytes would be read once for each.
class DefinedNames {
public:
  explicit DefinedNames(std::span<const std::byte> image) : image_(image), budget_(image.size()) {}

  /// False if they cannot be read.
  bool read() {
    const llvm::StringRef bytes(reinterpret_cast<const char *>(image_.data()), image_.size());
    if (image_.size() < sizeof(Elf::Elf_Ehdr) || !bytes.starts_with(llvm::ELF::ElfMagic) ||
        bytes[llvm::ELF::EI_CLASS] != llvm::ELF::ELFCLASS64 || bytes[llvm::ELF::EI_DATA] != llvm::ELF::ELFDATA2LSB)
      return false;
    auto elf = Elf::create(bytes);
    if (!elf) {
      llvm::consumeError(elf.takeError());
      return false;
    }
    signs_.is_for_cpu = elf->getHeader().e_machine == kMachine.elf_machine;
    auto sections = elf->sections();
    if (!sections) {
      llvm::consumeError(sections.takeError());
      return false;
    }
    // The plugin for the CPU finds dynamic symbols only.
    for (const Elf::Elf_Shdr &section : *sections)
      if (section.sh_type == llvm::ELF::SHT_DYNSYM || (section.sh_type == llvm::ELF::SHT_SYMTAB && !signs_.is_for_cpu))
        if (!read_symbols(*elf, section, *sections))
          return false;
    return !names_.empty() && (!signs_.is_for_cpu || read_own_entries());
  }

  bool lacks(const FileEntry &entry) const {
    return (entry.kind == EntryKind::kKernel || needs(signs_, entry.kind)) && !names_.contains(entry.name);
  }

private:
  bool add(std::string_view name) {
    if (name.size() >= budget_)
      return false;
    budget_ -= name.size() + 1;
    names_.insert(name);
    if (name.ends_with(kEnvironmentSuffix))
      signs_.marks[""].has_environment = true;
    return true;
  }

  bool read_symbols(const Elf &elf, const Elf::Elf_Shdr &section, Elf::Elf_Shdr_Range sections) {
    auto names = elf.getStringTableForSymtab(section, sections);
    auto symbols = elf.symbols(&section);
    if (!names || !symbols) {
      llvm::consumeError(names.takeError());
      llvm::consumeError(symbols.takeError());
      return false;
    }
    return std::all_of(symbols->begin(), symbols->end(), [&](const Elf::Elf_Sym &symbol) {
      if (symbol.isUndefined() || symbol.st_name >= names->size())
        return true;
      return add(names->data() + symbol.st_name); // string tables end with a NUL
    });
  }

  /// clang 14 gives static variables an entry in the image, and no symbol.
  bool read_own_entries() {
    copy_.assign(image_.begin(), image_.end());
    auto memory = ElfMemory::load(copy_);
    if (!memory) {
      memory.take_status().consume();
      return false;
    }
    const auto old_table = memory->section("omp_offloading_entries");
    const auto table = old_table ? old_table : memory->section("llvm_offload_entries");
    const uint64_t step = old_table ? sizeof(__tgt_offload_entry) : sizeof(__tgt_offload_entry_v1);
    const uint64_t name =
        old_table ? offsetof(__tgt_offload_entry, name) : offsetof(__tgt_offload_entry_v1, symbol_name);
    for (uint64_t at = 0; table && at < table->size; at += step) {
      const auto address = memory->value<uint64_t>(table->address + at + name);
      if (!address)
        return false;
      if (const auto text = memory->text(*address); text && !add(*text))
        return false;
    }
    return true;
  }

  std::span<const std::byte> image_;
  uint64_t budget_;
  ImageSigns signs_;
  std::vector<std::byte> copy_; ///< of the image, relocated
  std::unordered_set<std::string_view> names_;
};

} // namespace

std::vector<FileEntry> missing_entries(std::span<const std::byte> image, const std::vector<FileEntry> &entries) {
  std::vector<FileEntry> missing;
  DefinedNames names(image);
  if (names.read())
    std::copy_if(entries.begin(), entries.end(), std::back_inserter(missing),
                 [&](const FileEntry &entry) { return names.lacks(entry); });
  return missing;
}

} // namespace omptarget::info_tool
