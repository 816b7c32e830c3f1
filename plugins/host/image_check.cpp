// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/image_check.h"

#include <cstring>
#include <elf.h>

#include "base/machine.h"

#ifndef PT_GNU_PROPERTY // glibc has it since 2.32
#define PT_GNU_PROPERTY 0x6474e553
#endif

namespace omptarget::host {

namespace {

constexpr uint64_t kHighestAddress = uint64_t{1} << 46;
constexpr unsigned kMostPrograms = 512;                 ///< the dynamic linker has them on the stack
constexpr uint64_t kMostThreadData = uint64_t{1} << 30; ///< bytes; without memory for them it ends the process

template <typename T> T read(std::string_view image, uint64_t offset) {
  T value;
  std::memcpy(&value, image.data() + offset, sizeof value);
  return value;
}

bool holds(std::string_view image, uint64_t offset, uint64_t size) {
  return offset <= image.size() && size <= image.size() - offset;
}

unsigned long long number(uint64_t value) { return value; }

Status check_header(std::string_view image, Elf64_Ehdr &header) {
  if (image.size() < sizeof header)
    return Status::error(format("the image is cut short: %zu bytes are no ELF header", image.size()));
  header = read<Elf64_Ehdr>(image, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return Status::error("the image is no ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return Status::error("the image is no 64-bit little-endian ELF file");
  if (header.e_machine != kMachine.elf_machine)
    return Status::error(format("the image is for %s; this plugin takes those for %s",
                                machine_name(header.e_machine).c_str(), kMachine.name));
  if (header.e_type != ET_DYN)
    return Status::error(format("the image has ELF type %u; a shared object is %u", header.e_type, ET_DYN));
  if (header.e_phnum > kMostPrograms)
    return Status::error(
        format("the image has %u program headers; expected at most %u", header.e_phnum, kMostPrograms));
  if (header.e_phnum == 0 || header.e_phentsize != sizeof(Elf64_Phdr) ||
      !holds(image, header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr)))
    return Status::error(format("the image has no program headers, or they lie outside its %zu bytes", image.size()));
  return Status::ok();
}

Status check_load(const Elf64_Phdr &program, unsigned index, ImageLayout &layout) {
  const uint64_t alignment = program.p_align ? program.p_align : 1;
  if (program.p_filesz > program.p_memsz || (alignment & (alignment - 1)) != 0 ||
      ((program.p_vaddr - program.p_offset) & (alignment - 1)) != 0)
    return Status::error(format("program header %u of the image contradicts itself", index));
  if (program.p_vaddr > kHighestAddress || program.p_memsz > kHighestAddress)
    return Status::error(format("program header %u of the image asks for %llu bytes at address 0x%llx", index,
                                number(program.p_memsz), number(program.p_vaddr)));
  // Whole pages are mapped: what follows on the last page of the one before would take its place.
  const uint64_t page = page_size();
  if (!layout.segments.empty() &&
      program.p_vaddr / page * page < layout.segments.back().address + layout.segments.back().memory_size)
    return Status::error(format("program header %u of the image overlaps the one before it", index));
  layout.segments.push_back({program.p_vaddr, program.p_memsz, program.p_offset, program.p_filesz,
                             (program.p_flags & PF_W) != 0, (program.p_flags & PF_R) != 0,
                             (program.p_flags & PF_X) != 0});
  return Status::ok();
}

/// The offset in the file of bytes at an address, if one readable segment has all of them from the file.
bool find_in_file(const ImageLayout &layout, uint64_t address, uint64_t size, uint64_t &offset) {
  for (const Segment &segment : layout.segments)
    if (segment.is_readable && address >= segment.address && size <= segment.file_size &&
        address - segment.address <= segment.file_size - size) {
      offset = segment.file_offset + (address - segment.address);
      return true;
    }
  return false;
}

Status check_thread_data(const Elf64_Phdr &program, ImageLayout &layout) {
  uint64_t offset;
  if (program.p_memsz == 0)
    return Status::ok();
  if (program.p_filesz > program.p_memsz || program.p_memsz > kMostThreadData || program.p_align > page_size() ||
      (program.p_align & (program.p_align - 1)) != 0 || layout.thread_size != 0 ||
      (program.p_filesz != 0 && program.p_vaddr == 0) || // 0 is no address to the linker, but none at all
      (program.p_filesz != 0 && !find_in_file(layout, program.p_vaddr, program.p_filesz, offset)))
    return Status::error("the data that each thread has for itself makes no sense");
  layout.thread_size = program.p_memsz;
  return Status::ok();
}

/// Memory that becomes read-only must be the image's own.
Status check_protected(const Elf64_Phdr &program, ImageLayout &layout) {
  if (program.p_memsz == 0)
    return Status::ok();
  const uint64_t page = page_size();
  for (const Segment &segment : layout.segments) {
    const uint64_t end = (segment.address + segment.memory_size + page - 1) / page * page;
    if (program.p_vaddr < segment.address || program.p_vaddr > end || program.p_memsz > end - program.p_vaddr)
      continue;
    if (!segment.is_writable || layout.protected_end != 0)
      break;
    layout.protected_begin = program.p_vaddr;
    layout.protected_end = program.p_vaddr + program.p_memsz;
    return Status::ok();
  }
  return Status::error("what becomes read-only is no part of its data");
}

/// The headers that the dynamic linker reads besides those of segments and of the dynamic section.
Status check_other(std::string_view image, const Elf64_Ehdr &header, const Elf64_Phdr &program, ImageLayout &layout) {
  uint64_t offset = 0;
  switch (program.p_type) {
  case PT_PHDR:
    if (!find_in_file(layout, program.p_vaddr, header.e_phnum * sizeof(Elf64_Phdr), offset) || offset != header.e_phoff)
      return Status::error("it names other headers than the file's");
    return Status::ok();
  case PT_NOTE:
  case PT_GNU_PROPERTY:
    if (program.p_memsz != 0 &&
        (!find_in_file(layout, program.p_vaddr, program.p_memsz, offset) || !holds(image, offset, program.p_memsz)))
      return Status::error("its notes are not loaded");
    return Status::ok();
  case PT_TLS: return check_thread_data(program, layout);
  case PT_GNU_RELRO: return check_protected(program, layout);
  default: return Status::ok();
  }
}

Status check_programs(std::string_view image, const Elf64_Ehdr &header, ImageLayout &layout) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto program = read<Elf64_Phdr>(image, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (program.p_type != PT_NULL && program.p_type != PT_GNU_STACK &&
        !holds(image, program.p_offset, program.p_filesz))
      return Status::error(format("the image is cut short: program header %u needs bytes %llu to %llu of %zu", i,
                                  number(program.p_offset), number(program.p_offset + program.p_filesz), image.size()));
    if (program.p_type == PT_LOAD)
      OMPTARGET_TRY(check_load(program, i, layout));
    if (program.p_type == PT_GNU_EH_FRAME) {
      layout.unwind_address = program.p_vaddr;
      layout.unwind_size = program.p_memsz;
    }
    if (program.p_type != PT_DYNAMIC)
      continue;
    if (layout.dynamic_count != 0 || program.p_filesz < sizeof(Elf64_Dyn) || program.p_filesz % sizeof(Elf64_Dyn) != 0)
      return Status::error("the image's dynamic section is damaged: its size makes no sense");
    layout.is_dynamic_writable = (program.p_flags & PF_W) != 0;
    layout.dynamic_offset = program.p_offset;
    layout.dynamic_address = program.p_vaddr;
    layout.dynamic_count = program.p_filesz / sizeof(Elf64_Dyn);
  }
  if (layout.segments.empty())
    return Status::error("the image has nothing to load");
  if (layout.dynamic_count == 0)
    return Status::error("the image has no dynamic section");
  for (unsigned i = 0; i < header.e_phnum; ++i)
    OMPTARGET_TRY_DURING(
        check_other(image, header, read<Elf64_Phdr>(image, header.e_phoff + i * sizeof(Elf64_Phdr)), layout),
        "in program header %u of the image", i);
  return Status::ok();
}

/// Sections are not needed to load an image, only to find its own table of entries.
Status check_sections(std::string_view image, const Elf64_Ehdr &header, ImageLayout &layout) {
  if (header.e_shoff == 0 || header.e_shnum == 0)
    return Status::ok();
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum ||
      !holds(image, header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)))
    return Status::error(format("the image is cut short: its section headers at byte %llu lie outside its %zu bytes",
                                number(header.e_shoff), image.size()));
  const auto section_at = [&](unsigned index) {
    return read<Elf64_Shdr>(image, header.e_shoff + index * sizeof(Elf64_Shdr));
  };
  const Elf64_Shdr names = section_at(header.e_shstrndx);
  if (!holds(image, names.sh_offset, names.sh_size) || names.sh_size == 0 ||
      image[names.sh_offset + names.sh_size - 1] != '\0')
    return Status::error("the names of the image's sections are damaged");
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr section = section_at(i);
    if (section.sh_type == SHT_NULL)
      continue;
    if (section.sh_name >= names.sh_size ||
        (section.sh_type != SHT_NOBITS && !holds(image, section.sh_offset, section.sh_size)))
      return Status::error(format("section %u of the image lies outside its %zu bytes", i, image.size()));
    const std::string_view name = image.data() + names.sh_offset + section.sh_name;
    if (name == "omp_offloading_entries")
      layout.entries = {section.sh_addr, section.sh_size, 32};
    else if (name == "llvm_offload_entries")
      layout.entries = {section.sh_addr, section.sh_size, 56};
  }
  return Status::ok();
}

Status check_entries(const ImageLayout &layout) {
  const EntrySection &entries = layout.entries;
  if (entries.size == 0)
    return Status::ok();
  if (entries.size % entries.record != 0)
    return Status::error(format("the image's table of entries has %llu bytes, no multiple of %zu", number(entries.size),
                                entries.record));
  for (const Segment &segment : layout.segments)
    if (entries.address >= segment.address && entries.size <= segment.memory_size &&
        entries.address - segment.address <= segment.memory_size - entries.size)
      return Status::ok();
  return Status::error("the image's table of entries is not loaded with it");
}

} // namespace

bool is_image_for_host(std::string_view image) {
  Elf64_Ehdr header;
  Status status = check_header(image, header);
  const bool is_ok = status.is_ok();
  status.consume();
  return is_ok;
}

Result<ImageLayout> check_image(std::string_view image) {
  ImageLayout layout;
  Elf64_Ehdr header;
  OMPTARGET_TRY(check_header(image, header));
  OMPTARGET_TRY(check_programs(image, header, layout));
  OMPTARGET_TRY(check_sections(image, header, layout));
  OMPTARGET_TRY(check_entries(layout));
  OMPTARGET_TRY(check_dynamic(image, layout));
  return layout;
}

} // namespace omptarget::host
