// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/own_entries.h"

#include <cstring>
#include <optional>
#include <string_view>

#include "base/machine.h"
#include "image/entry_table.h"
#include "plugin/elf_file.h"

namespace omptarget {

namespace {

std::optional<Elf> open_image(std::span<const std::byte> image) {
  const llvm::StringRef bytes(reinterpret_cast<const char *>(image.data()), image.size());
  if (image.size() < sizeof(Elf::Elf_Ehdr) || !bytes.starts_with(llvm::ELF::ElfMagic) ||
      bytes[llvm::ELF::EI_CLASS] != llvm::ELF::ELFCLASS64 || bytes[llvm::ELF::EI_DATA] != llvm::ELF::ELFDATA2LSB)
    return std::nullopt;
  auto elf = Elf::create(bytes);
  if (elf && elf->getHeader().e_machine == kMachine.elf_machine)
    return *elf;
  llvm::consumeError(elf.takeError());
  return std::nullopt;
}

/// The addresses of the table in the file's own terms; empty if there is none.
AddressRange find_table(const Elf &elf) {
  auto sections = elf.sections();
  if (!sections) {
    llvm::consumeError(sections.takeError());
    return {};
  }
  for (const Elf::Elf_Shdr &section : *sections) {
    auto name = elf.getSectionName(section);
    if (name && (*name == "omp_offloading_entries" || *name == "llvm_offload_entries"))
      return {section.sh_addr, section.sh_addr + section.sh_size};
    llvm::consumeError(name.takeError());
  }
  return {};
}

/// How far the module lies from the addresses of the file; nothing if its segments are not those of the file.
std::optional<uint64_t> displacement(const Elf &elf, const ModuleBounds &module) {
  auto headers = elf.program_headers();
  if (!headers) {
    llvm::consumeError(headers.takeError());
    return std::nullopt;
  }
  std::optional<uint64_t> base;
  size_t count = 0;
  for (const Elf::Elf_Phdr &header : *headers) {
    if (header.p_type != llvm::ELF::PT_LOAD || !(header.p_flags & llvm::ELF::PF_R))
      continue;
    if (count == module.segments.size())
      return std::nullopt;
    const AddressRange &segment = module.segments[count++];
    if (!base)
      base = segment.begin - header.p_vaddr;
    if (segment.begin != *base + header.p_vaddr || segment.end != segment.begin + header.p_memsz)
      return std::nullopt;
  }
  return count == module.segments.size() ? base : std::nullopt;
}

} // namespace

std::vector<Entry> own_entries(std::span<const std::byte> image, const void *inside) {
  std::vector<Entry> own;
  const std::optional<Elf> elf = open_image(image);
  const std::optional<ModuleBounds> module = elf ? module_of(inside) : std::nullopt;
  const std::optional<uint64_t> base = module ? displacement(*elf, *module) : std::nullopt;
  const AddressRange range = base ? find_table(*elf) : AddressRange{};
  const auto *const begin = reinterpret_cast<const std::byte *>(base.value_or(0) + range.begin);
  const EntryTable table{begin, begin + (range.end - range.begin), module ? &*module : nullptr};
  if (range.begin >= range.end || !module->contains(begin, range.end - range.begin))
    return own;
  auto size = entry_size(table);
  auto read = size ? read_entries(table, *size) : Result<EntriesRead>(size.take_status());
  if (!read) {
    read.take_status().consume();
    return own;
  }
  for (const Entry &entry : read->entries)
    if (module->contains(raw(entry.address), 1))
      own.push_back(entry);
  return own;
}

} // namespace omptarget
