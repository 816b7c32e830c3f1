// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/info/module_file.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tools/info/elf_memory.h"
#include "tools/info/report.h"

namespace omptarget::info_tool {
namespace {

TEST(ModuleFile, entries_are_told_apart_by_size_and_flags) {
  EXPECT_EQ(kind_of_entry(0, 0), EntryKind::kKernel);
  EXPECT_EQ(kind_of_entry(4, 0), EntryKind::kVariable);
  EXPECT_EQ(kind_of_entry(8, OMPTARGET_ENTRY_LINK), EntryKind::kLinkVariable);
  EXPECT_EQ(kind_of_entry(8, OMPTARGET_ENTRY_INDIRECT), EntryKind::kIndirect);
  EXPECT_EQ(kind_of_entry(0, OMPTARGET_ENTRY_INDIRECT), EntryKind::kFunctionPointer);
  EXPECT_EQ(kind_of_entry(64, OMPTARGET_ENTRY_INDIRECT_VTABLE), EntryKind::kVtable);
}

TEST(ModuleFile, what_is_no_elf_file_says_so) {
  EXPECT_NE(read_module_file("/does/not/exist").status().to_string().find("No such file"), std::string::npos);
  EXPECT_NE(read_module_file("/etc/passwd").status().to_string().find("no ELF file"), std::string::npos);
}

TEST(ModuleFile, a_program_without_offloading_has_no_parts) {
  auto module = read_module_file("/proc/self/exe");
  ASSERT_TRUE(module.is_ok()) << module.status().to_string();
  EXPECT_TRUE(module->descriptors.empty());
}

TEST(ModuleFile, files_cut_off_anywhere_are_read_or_refused) {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::vector<char> contents(1 << 16);
  file.read(contents.data(), static_cast<std::streamsize>(contents.size()));
  for (size_t size = 0; size < contents.size(); size += 997) {
    const auto memory = ElfMemory::load({reinterpret_cast<const std::byte *>(contents.data()), size});
    EXPECT_FALSE(memory.is_ok()) << size;
  }
}

TEST(Report, names_of_entries_are_demangled) {
  EXPECT_EQ(readable_entry({"__omp_offloading_fe00_a7__Z4workPi_l12", EntryKind::kKernel, 0}), "work(int*), line 12");
  EXPECT_EQ(readable_entry({"_Z1fi", EntryKind::kIndirect, 8}), "f(int)");
  EXPECT_EQ(readable_entry({"counter", EntryKind::kVariable, 4}), "counter");
}

} // namespace
} // namespace omptarget::info_tool
