// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/info/elf_memory.h"

#include <algorithm>
#include <cstddef>
#include <elf.h>

#include "base/format.h"
#include "base/machine.h"

namespace omptarget::info_tool {

namespace {

constexpr uint64_t kLongestText = 1 << 20;
constexpr uint64_t kMostRelocations = 1 << 26;

} // namespace

/// The bytes of the file, or an empty span if it does not have them.
std::span<std::byte> ElfMemory::part(uint64_t offset, uint64_t size) const {
  if (offset > file_.size() || size > file_.size() - offset)
    return {};
  return file_.subspan(offset, size);
}

template <typename Record> std::optional<Record> ElfMemory::record(uint64_t offset) const {
  const auto bytes = part(offset, sizeof(Record));
  if (bytes.size() != sizeof(Record))
    return std::nullopt;
  Record result;
  std::memcpy(&result, bytes.data(), sizeof result);
  return result;
}

template <typename Record> Record ElfMemory::checked_record(uint64_t offset) const {
  return record<Record>(offset).value_or(Record{});
}

Result<ElfMemory> ElfMemory::load(std::span<std::byte> file) {
  if (file.size() < sizeof(Elf64_Ehdr) || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0)
    return Status::error("it is no ELF file");
  if (std::to_integer<int>(file[EI_CLASS]) != ELFCLASS64 || std::to_integer<int>(file[EI_DATA]) != ELFDATA2LSB)
    return Status::error("it is an ELF file of another class or byte order; expected 64 bits, little endian");
  ElfMemory memory;
  memory.file_ = file;
  if (const auto machine = memory.checked_record<Elf64_Ehdr>(0).e_machine; machine != kMachine.elf_machine)
    return Status::error(format("it is for %s; expected %s", machine_name(machine).c_str(), kMachine.name));
  if (memory.checked_record<Elf64_Ehdr>(0).e_type == ET_REL)
    return Status::error(
        "it is an object file, whose tables the linker has yet to make; expected what is linked from it");
  OMPTARGET_TRY_DURING(memory.read_segments(), "while reading the program headers");
  OMPTARGET_TRY_DURING(memory.read_sections(), "while reading the section headers");
  OMPTARGET_TRY_DURING(memory.relocate(), "while reading relocations");
  return memory;
}

Status ElfMemory::read_segments() {
  const auto header = checked_record<Elf64_Ehdr>(0);
  if (header.e_phnum != 0 && header.e_phentsize != sizeof(Elf64_Phdr))
    return Status::error(format("they have %u bytes; expected %zu", header.e_phentsize, sizeof(Elf64_Phdr)));
  uint64_t end = 0; // of the segment before
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    const auto program = record<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
    if (!program || header.e_phoff > file_.size())
      return Status::error(format("number %u lies outside of the file", i));
    if (program->p_type != PT_LOAD)
      continue;
    const auto bytes = part(program->p_offset, program->p_filesz);
    if (bytes.size() != program->p_filesz)
      return Status::error(format("the segment of number %u lies outside of the file", i));
    const uint64_t size = std::max(program->p_memsz, program->p_filesz);
    if (program->p_vaddr < end || program->p_vaddr > UINT64_MAX - size)
      return Status::error(format("the segment of number %u overlaps the one before it, or the end of memory", i));
    end = program->p_vaddr + size;
    segments_.push_back({program->p_vaddr, (program->p_flags & PF_W) != 0, size, bytes});
  }
  return Status::ok();
}

Status ElfMemory::read_sections() {
  const auto header = checked_record<Elf64_Ehdr>(0);
  if (header.e_shoff == 0)
    return Status::ok();
  const auto first = record<Elf64_Shdr>(header.e_shoff);
  if (!first || header.e_shentsize != sizeof(Elf64_Shdr))
    return Status::error("they lie outside of the file");
  // More than fit into the header are counted by the first section.
  const uint64_t count = header.e_shnum != 0 ? header.e_shnum : first->sh_size;
  if (count > UINT32_MAX || part(header.e_shoff, count * sizeof(Elf64_Shdr)).size() != count * sizeof(Elf64_Shdr))
    return Status::error("they lie outside of the file");
  section_headers_ = header.e_shoff;
  section_count_ = static_cast<uint32_t>(count);
  for (uint32_t i = 0; i < section_count_; ++i)
    if (const auto section = checked_record<Elf64_Shdr>(section_headers_ + i * sizeof(Elf64_Shdr));
        section.sh_addr > UINT64_MAX - section.sh_size)
      return Status::error(format("section %u reaches past the end of memory", i));
  const uint32_t names = header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : first->sh_link;
  if (names == SHN_UNDEF)
    return Status::ok();
  if (names >= count)
    return Status::error(
        format("their names are in section %u of %llu", names, static_cast<unsigned long long>(count)));
  const auto section = checked_record<Elf64_Shdr>(section_headers_ + names * sizeof(Elf64_Shdr));
  section_names_ = part(section.sh_offset, section.sh_size);
  if (section_names_.size() != section.sh_size)
    return Status::error("their names lie outside of the file");
  return Status::ok();
}

std::optional<ElfMemory::Section> ElfMemory::section(std::string_view name) const {
  for (uint32_t i = 0; i < section_count_; ++i) {
    const auto header = record<Elf64_Shdr>(section_headers_ + i * sizeof(Elf64_Shdr));
    if (!header || header->sh_name >= section_names_.size() || section_names_.size() - header->sh_name <= name.size())
      continue;
    const auto *const text = reinterpret_cast<const char *>(section_names_.data()) + header->sh_name;
    if (std::memcmp(text, name.data(), name.size()) != 0 || text[name.size()] != '\0')
      continue;
    return Section{header->sh_addr, header->sh_size,
                   header->sh_type == SHT_NOBITS ? std::span<std::byte>() : part(header->sh_offset, header->sh_size)};
  }
  return std::nullopt;
}

/// Values of packed relocations are in place already: the module is looked at as if loaded at 0.
Status ElfMemory::relocate() {
  uint64_t budget = std::min<uint64_t>(kMostRelocations, file_.size() / sizeof(Elf64_Rela));
  for (uint32_t i = 0; i < section_count_; ++i)
    OMPTARGET_TRY_DURING(relocate_by(i, budget), "in section %u", i);
  return Status::ok();
}

Status ElfMemory::relocate_by(uint32_t section, uint64_t &budget) {
  const auto header = checked_record<Elf64_Shdr>(section_headers_ + section * sizeof(Elf64_Shdr));
  if (header.sh_type != SHT_RELA || !(header.sh_flags & SHF_ALLOC))
    return Status::ok();
  const auto table = part(header.sh_offset, header.sh_size);
  if (table.size() != header.sh_size || header.sh_size % sizeof(Elf64_Rela) != 0)
    return Status::error("they lie outside of the file");
  const uint64_t count = table.size() / sizeof(Elf64_Rela);
  if (count > budget)
    return Status::error("there are more of them than the file has room for: their tables overlap");
  budget -= count;
  std::optional<Elf64_Shdr> symbols;
  if (header.sh_link < section_count_)
    symbols = record<Elf64_Shdr>(section_headers_ + header.sh_link * sizeof(Elf64_Shdr));
  for (uint64_t i = 0; i < count; ++i) {
    const auto relocation = checked_record<Elf64_Rela>(header.sh_offset + i * sizeof(Elf64_Rela));
    const uint32_t type = ELF64_R_TYPE(relocation.r_info);
    uint64_t value = static_cast<uint64_t>(relocation.r_addend);
    if (type == kMachine.relocations.absolute) {
      const uint64_t at = ELF64_R_SYM(relocation.r_info) * sizeof(Elf64_Sym);
      const auto symbol = symbols && at < symbols->sh_size && symbols->sh_offset <= file_.size()
                              ? record<Elf64_Sym>(symbols->sh_offset + at)
                              : std::nullopt;
      if (!symbol)
        return Status::error(format("number %llu has no symbol", static_cast<unsigned long long>(i)));
      value = symbol->st_shndx == SHN_UNDEF ? kElsewhere : value + symbol->st_value;
    } else if (type != kMachine.relocations.relative) {
      continue;
    }
    store(relocation.r_offset, value);
  }
  return Status::ok();
}

/// The last one that begins at the address or before.
const ElfMemory::Segment *ElfMemory::segment_of(uint64_t address) const {
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), address,
                                      [](uint64_t value, const Segment &segment) { return value < segment.address; });
  return after == segments_.begin() ? nullptr : &*std::prev(after);
}

void ElfMemory::store(uint64_t address, uint64_t value) {
  const Segment *const segment = segment_of(address);
  if (segment && address - segment->address < segment->bytes.size() &&
      segment->bytes.size() - (address - segment->address) >= sizeof value)
    std::memcpy(segment->bytes.data() + (address - segment->address), &value, sizeof value);
}

std::span<const std::byte> ElfMemory::bytes(uint64_t address, uint64_t size) const {
  const Segment *const segment = segment_of(address);
  if (!segment || address - segment->address > segment->bytes.size() ||
      size > segment->bytes.size() - (address - segment->address))
    return {};
  return segment->bytes.subspan(address - segment->address, size);
}

bool ElfMemory::is_loaded(uint64_t address, uint64_t size) const {
  const Segment *const segment = segment_of(address);
  return segment && address - segment->address <= segment->memory_size &&
         size <= segment->memory_size - (address - segment->address);
}

std::optional<std::string_view> ElfMemory::text(uint64_t address) const {
  const Segment *const segment = segment_of(address);
  if (!segment || address - segment->address >= segment->bytes.size())
    return std::nullopt;
  const auto rest = segment->bytes.subspan(address - segment->address);
  const auto *const begin = reinterpret_cast<const char *>(rest.data());
  const size_t most = std::min<size_t>(rest.size(), kLongestText);
  const size_t length = strnlen(begin, most);
  return length < most ? std::optional(std::string_view(begin, length)) : std::nullopt;
}

std::vector<ElfMemory::Range> ElfMemory::data_ranges() const {
  std::vector<Range> ranges;
  for (const Segment &segment : segments_)
    if (segment.is_writable)
      ranges.push_back({segment.address, segment.bytes});
  return ranges;
}

} // namespace omptarget::info_tool
