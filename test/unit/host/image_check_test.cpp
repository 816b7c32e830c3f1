// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/image_check.h"

#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>

#include "base/machine.h"
#include "test_image.h"

namespace omptarget::host {
namespace {

std::string reason_for(const std::string &bytes) {
  Result<ImageLayout> layout = check_image(bytes);
  return layout.status().to_string();
}

Elf64_Ehdr &header_of(std::string &bytes) { return *reinterpret_cast<Elf64_Ehdr *>(bytes.data()); }

Elf64_Phdr &program_of(std::string &bytes, uint32_t type) {
  auto *programs = reinterpret_cast<Elf64_Phdr *>(bytes.data() + header_of(bytes).e_phoff);
  for (int i = 0; i < header_of(bytes).e_phnum; ++i)
    if (programs[i].p_type == type)
      return programs[i];
  ADD_FAILURE() << "no program header of type " << type;
  return programs[0];
}

Elf64_Dyn &dynamic_of(std::string &bytes, int64_t tag) {
  const Elf64_Phdr &program = program_of(bytes, PT_DYNAMIC);
  auto *entries = reinterpret_cast<Elf64_Dyn *>(bytes.data() + program.p_offset);
  for (uint64_t i = 0; i < program.p_filesz / sizeof(Elf64_Dyn); ++i)
    if (entries[i].d_tag == tag)
      return entries[i];
  ADD_FAILURE() << "no dynamic entry with tag " << tag;
  return entries[0];
}

TEST(ImageCheck, accepts_a_sound_image_and_finds_its_entries) {
  Result<ImageLayout> layout = check_image(read_test_image());
  ASSERT_TRUE(layout.is_ok()) << layout.status().to_string();
  EXPECT_EQ(layout->entries.record, 32u);
  EXPECT_EQ(layout->entries.size, 64u);
  EXPECT_GE(layout->segments.size(), 2u);
}

TEST(ImageCheck, every_truncation_is_refused_with_a_reason) {
  const std::string whole = read_test_image();
  for (size_t size = 0; size < whole.size(); size += 1 + size / 64) {
    const std::string bytes = whole.substr(0, size);
    Result<ImageLayout> layout = check_image(bytes);
    EXPECT_FALSE(layout.is_ok()) << size;
    EXPECT_NE(layout.status().to_string(), "") << size;
  }
}

TEST(ImageCheck, other_machines_and_types_are_named) {
  std::string bytes = read_test_image();
  header_of(bytes).e_machine = EM_MIPS;
  EXPECT_EQ(reason_for(bytes), format("the image is for ELF machine 8; this plugin takes those for %s", kMachine.name));
  bytes = read_test_image();
  header_of(bytes).e_type = ET_REL;
  EXPECT_EQ(reason_for(bytes), "the image has ELF type 1; a shared object is 3");
  bytes = read_test_image();
  bytes[0] = 'x';
  EXPECT_EQ(reason_for(bytes), "the image is no ELF file");
  EXPECT_FALSE(is_image_for_host(bytes));
}

TEST(ImageCheck, damage_of_the_dynamic_section_is_found) {
  for (const int64_t tag : {DT_STRTAB, DT_SYMTAB, DT_GNU_HASH, DT_RELA, DT_RELASZ, DT_INIT_ARRAY, DT_STRSZ}) {
    std::string bytes = read_test_image();
    dynamic_of(bytes, tag).d_un.d_val = 0x123456789;
    EXPECT_NE(reason_for(bytes), "success") << "tag " << tag;
  }
}

TEST(ImageCheck, damage_of_relocations_is_found) {
  std::string bytes = read_test_image();
  const uint64_t address = dynamic_of(bytes, DT_RELA).d_un.d_ptr;
  auto *relocation = reinterpret_cast<Elf64_Rela *>(bytes.data() + address); // the first segment starts the file
  relocation->r_offset = 0x40000000;
  EXPECT_EQ(reason_for(bytes), "the image's table of relocations: a place lies outside the image is damaged");
}

/// Takes an entry out of the dynamic section.
std::string without_dynamic(int64_t tag) {
  std::string bytes = read_test_image();
  dynamic_of(bytes, tag).d_tag = 0x6000001f; // means nothing to anybody
  return bytes;
}

TEST(ImageCheck, a_lost_entry_that_the_linker_relies_on_is_found) {
  EXPECT_EQ(reason_for(read_test_image()), "success");
  for (const int64_t tag : {DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_RELASZ, DT_RELAENT, DT_INIT_ARRAYSZ, DT_FINI_ARRAYSZ})
    EXPECT_NE(reason_for(without_dynamic(tag)), "success") << "tag " << tag;
}

TEST(ImageCheck, versions_that_there_are_not_are_found) {
  std::string bytes = read_test_image();
  const uint64_t versions = dynamic_of(bytes, DT_VERSYM).d_un.d_val;
  const uint16_t version = 0x7123;
  std::memcpy(bytes.data() + versions + sizeof version, &version, sizeof version);
  EXPECT_NE(reason_for(bytes).find("a symbol has a version that there is not"), std::string::npos) << reason_for(bytes);
  bytes = read_test_image();
  const uint64_t needed = dynamic_of(bytes, DT_VERNEED).d_un.d_val;
  auto &need = *reinterpret_cast<Elf64_Verneed *>(bytes.data() + needed);
  need.vn_cnt = 0; // which the linker does not read
  need.vn_aux = 0x7fffff00;
  EXPECT_NE(reason_for(bytes).find("table of needed versions"), std::string::npos) << reason_for(bytes);
}

TEST(ImageCheck, relocations_of_what_must_not_be_written_are_found) {
  std::string bytes = read_test_image();
  auto *const relocation = reinterpret_cast<Elf64_Rela *>(bytes.data() + dynamic_of(bytes, DT_RELA).d_un.d_val);
  const Elf64_Rela sound = *relocation;
  relocation->r_offset = 0x10; // the ELF header, read-only
  EXPECT_NE(reason_for(bytes).find("a place cannot be written"), std::string::npos) << reason_for(bytes);
  *relocation = sound;
  relocation->r_offset = program_of(bytes, PT_DYNAMIC).p_vaddr + 8;
  EXPECT_NE(reason_for(bytes).find("a place lies in a table of the linker's"), std::string::npos) << reason_for(bytes);
}

TEST(ImageCheck, headers_that_the_linker_believes_are_checked) {
  std::string bytes = read_test_image();
  program_of(bytes, PT_GNU_RELRO).p_vaddr = 0;
  EXPECT_NE(reason_for(bytes).find("what becomes read-only is no part of its data"), std::string::npos)
      << reason_for(bytes);
  bytes = read_test_image();
  program_of(bytes, PT_NOTE).p_vaddr = 0x7fff0000;
  EXPECT_NE(reason_for(bytes).find("its notes are not loaded"), std::string::npos) << reason_for(bytes);
  bytes = read_test_image();
  header_of(bytes).e_phnum = 60000;
  EXPECT_NE(reason_for(bytes).find("60000 program headers"), std::string::npos) << reason_for(bytes);
}

TEST(ImageCheck, initialisers_that_are_no_code_are_found) {
  std::string bytes = read_test_image();
  const uint64_t table = dynamic_of(bytes, DT_INIT_ARRAY).d_un.d_val;
  auto *relocation = reinterpret_cast<Elf64_Rela *>(bytes.data() + dynamic_of(bytes, DT_RELA).d_un.d_val);
  while (relocation->r_offset != table)
    ++relocation;
  relocation->r_addend = static_cast<int64_t>(table);
  EXPECT_NE(reason_for(bytes).find("table of initialisation functions"), std::string::npos) << reason_for(bytes);
}

TEST(ImageCheck, overlapping_segments_are_refused) {
  std::string bytes = read_test_image();
  program_of(bytes, PT_LOAD).p_memsz = 1 << 20;
  EXPECT_NE(reason_for(bytes).find("overlaps"), std::string::npos) << reason_for(bytes);
}

/// No single damaged byte of the headers makes the check itself read outside the image; run under a sanitizer.
TEST(ImageCheck, survives_any_damaged_byte_of_its_headers) {
  const std::string whole = read_test_image();
  std::string copy = whole;
  const uint64_t dynamic = program_of(copy, PT_DYNAMIC).p_offset;
  const auto try_range = [&](uint64_t begin, uint64_t size) {
    for (uint64_t i = begin; i < begin + size; ++i)
      for (const char value : {'\xff', '\x01', '\x80'}) {
        std::string bytes = whole;
        bytes[i] = value;
        Result<ImageLayout> layout = check_image(bytes);
        EXPECT_TRUE(layout.is_ok() || layout.status().to_string() != "");
      }
  };
  try_range(0, 64 + 56 * header_of(copy).e_phnum);
  try_range(dynamic, program_of(copy, PT_DYNAMIC).p_filesz);
}

} // namespace
} // namespace omptarget::host
