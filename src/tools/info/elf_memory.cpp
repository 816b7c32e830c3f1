// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/info/elf_memory.h"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>

namespace omptarget::info_tool {

namespace {

using Elf64 = llvm::object::ELFFile<llvm::object::ELF64LE>;

Status failure(llvm::Error error, const char *what) {
  return Status::error(llvm::toString(std::move(error))).during(what);
}

std::span<const std::byte> as_bytes(llvm::ArrayRef<uint8_t> bytes) {
  return {reinterpret_cast<const std::byte *>(bytes.data()), bytes.size()};
}

} // namespace

Result<ElfMemory> ElfMemory::load(std::span<const std::byte> file) {
  if (file.size() < sizeof(llvm::ELF::Elf64_Ehdr) || std::memcmp(file.data(), "\x7f" "ELF", 4) != 0)
    return Status::error("it is no ELF file");
  if (std::to_integer<int>(file[llvm::ELF::EI_CLASS]) != llvm::ELF::ELFCLASS64 ||
      std::to_integer<int>(file[llvm::ELF::EI_DATA]) != llvm::ELF::ELFDATA2LSB)
    return Status::error("it is an ELF file of another class or byte order; expected 64 bits, little endian");
  auto elf = Elf64::create({reinterpret_cast<const char *>(file.data()), file.size()});
  if (!elf)
    return failure(elf.takeError(), "while reading the ELF header");
  if (elf->getHeader().e_machine != llvm::ELF::EM_X86_64)
    return Status::error(format("it is for machine %u; expected x86-64 (62)",
                                static_cast<unsigned>(elf->getHeader().e_machine)));
  ElfMemory memory;
  OMPTARGET_TRY(memory.read_segments(*elf));
  OMPTARGET_TRY(memory.read_sections(*elf));
  OMPTARGET_TRY(memory.relocate(*elf));
  return memory;
}

template <typename Elf> Status ElfMemory::read_segments(const Elf &elf) {
  auto headers = elf.program_headers();
  if (!headers)
    return failure(headers.takeError(), "while reading the program headers");
  for (const auto &header : *headers) {
    if (header.p_type != llvm::ELF::PT_LOAD)
      continue;
    auto contents = elf.getSegmentContents(header);
    if (!contents)
      return failure(contents.takeError(), "while reading a segment");
    const auto bytes = as_bytes(*contents);
    segments_.push_back({header.p_vaddr, (header.p_flags & llvm::ELF::PF_W) != 0, {bytes.begin(), bytes.end()}});
  }
  return Status::ok();
}

template <typename Elf> Status ElfMemory::read_sections(const Elf &elf) {
  auto headers = elf.sections();
  if (!headers)
    return failure(headers.takeError(), "while reading the section headers");
  for (const auto &header : *headers) {
    auto name = elf.getSectionName(header);
    if (!name)
      return failure(name.takeError(), "while reading the name of a section");
    Section section{name->str(), header.sh_addr, {}, header.sh_size};
    if (header.sh_type != llvm::ELF::SHT_NOBITS) {
      auto contents = elf.getSectionContents(header);
      if (!contents)
        return failure(contents.takeError(), "while reading a section");
      const auto bytes = as_bytes(*contents);
      section.bytes.assign(bytes.begin(), bytes.end());
    }
    sections_.push_back(std::move(section));
  }
  return Status::ok();
}

template <typename Elf> Status ElfMemory::relocate(const Elf &elf) {
  auto headers = elf.sections();
  if (!headers)
    return failure(headers.takeError(), "while reading the section headers");
  for (const auto &header : *headers) {
    if (header.sh_type == llvm::ELF::SHT_RELR) {
      auto packed = elf.relrs(header);
      if (!packed)
        return failure(packed.takeError(), "while reading relocations");
      // The value to add the load address to is in place already; the module is looked at as if loaded at 0.
      continue;
    }
    if (header.sh_type != llvm::ELF::SHT_RELA || !(header.sh_flags & llvm::ELF::SHF_ALLOC))
      continue;
    auto relocations = elf.relas(header);
    if (!relocations)
      return failure(relocations.takeError(), "while reading relocations");
    auto symbols_section = elf.getSection(header.sh_link);
    for (const auto &relocation : *relocations) {
      const uint32_t type = relocation.getType(false);
      uint64_t value = static_cast<uint64_t>(relocation.r_addend);
      if (type == llvm::ELF::R_X86_64_64) {
        if (!symbols_section) {
          llvm::consumeError(symbols_section.takeError());
          return Status::error("relocations name no table of symbols");
        }
        auto symbol = elf.template getEntry<typename Elf::Elf_Sym>(**symbols_section, relocation.getSymbol(false));
        if (!symbol)
          return failure(symbol.takeError(), "while reading the symbol of a relocation");
        if ((*symbol)->st_shndx == llvm::ELF::SHN_UNDEF)
          continue; // in another module: not known here
        value += (*symbol)->st_value;
      } else if (type != llvm::ELF::R_X86_64_RELATIVE) {
        continue;
      }
      store(relocation.r_offset, value);
    }
    if (!symbols_section)
      llvm::consumeError(symbols_section.takeError());
  }
  return Status::ok();
}

void ElfMemory::store(uint64_t address, uint64_t value) {
  for (Segment &segment : segments_)
    if (address >= segment.address && address - segment.address < segment.bytes.size() &&
        segment.bytes.size() - (address - segment.address) >= sizeof value)
      std::memcpy(segment.bytes.data() + (address - segment.address), &value, sizeof value);
}

const ElfMemory::Section *ElfMemory::section(const std::string &name) const {
  for (const Section &section : sections_)
    if (section.name == name)
      return &section;
  return nullptr;
}

std::span<const std::byte> ElfMemory::bytes(uint64_t address, uint64_t size) const {
  for (const Segment &segment : segments_)
    if (address >= segment.address && address - segment.address <= segment.bytes.size() &&
        size <= segment.bytes.size() - (address - segment.address))
      return {segment.bytes.data() + (address - segment.address), size};
  return {};
}

std::optional<std::string> ElfMemory::text(uint64_t address) const {
  for (const Segment &segment : segments_) {
    if (address < segment.address || address - segment.address >= segment.bytes.size())
      continue;
    const auto *begin = reinterpret_cast<const char *>(segment.bytes.data() + (address - segment.address));
    const size_t most = segment.bytes.size() - (address - segment.address);
    const size_t length = strnlen(begin, most);
    if (length < most)
      return std::string(begin, length);
  }
  return std::nullopt;
}

std::vector<ElfMemory::Range> ElfMemory::data_ranges() const {
  std::vector<Range> ranges;
  for (const Segment &segment : segments_)
    if (segment.is_writable)
      ranges.push_back({segment.address, segment.address + segment.bytes.size()});
  return ranges;
}

} // namespace omptarget::info_tool
