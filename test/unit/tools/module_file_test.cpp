// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/info/module_file.h"

#include <cstdio>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/machine.h"
#include "tools/info/elf_memory.h"
#include "tools/info/producers.h"
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
    std::vector<char> copy(contents.begin(), contents.begin() + static_cast<ptrdiff_t>(size));
    const auto memory = ElfMemory::load({reinterpret_cast<std::byte *>(copy.data()), size});
    EXPECT_FALSE(memory.is_ok()) << size;
  }
}

/// A module of one writable segment and sections that may say anything.
class HostileFile {
public:
  explicit HostileFile(size_t size) : bytes_(size) {
    header().e_machine = kMachine.elf_machine;
    std::memcpy(header().e_ident, ELFMAG, SELFMAG);
    header().e_ident[EI_CLASS] = ELFCLASS64;
    header().e_ident[EI_DATA] = ELFDATA2LSB;
    header().e_phoff = sizeof(Elf64_Ehdr);
    header().e_phentsize = sizeof(Elf64_Phdr);
    header().e_shentsize = sizeof(Elf64_Shdr);
    add_segment(0, 0, size);
  }
  template <typename T> T &at(uint64_t offset) { return *reinterpret_cast<T *>(bytes_.data() + offset); }
  Elf64_Ehdr &header() { return at<Elf64_Ehdr>(0); }
  Elf64_Phdr &add_segment(uint64_t address, uint64_t offset, uint64_t size) {
    auto &program = at<Elf64_Phdr>(sizeof(Elf64_Ehdr) + header().e_phnum++ * sizeof(Elf64_Phdr));
    program = {PT_LOAD, PF_R | PF_W, offset, address, address, size, size, 4096};
    return program;
  }
  /// The headers of sections lie at kSections, their names at kNames.
  Elf64_Shdr &add_section(const char *name, uint32_t type, uint64_t address, uint64_t offset, uint64_t size) {
    if (header().e_shnum == 0) {
      header().e_shoff = kSections;
      header().e_shnum = 2; // none, and the names
      header().e_shstrndx = 1;
      at<Elf64_Shdr>(kSections + sizeof(Elf64_Shdr)) = {0, SHT_STRTAB, 0, 0, kNames, 512, 0, 0, 0, 0};
    }
    std::strcpy(&at<char>(kNames + next_name_), name);
    auto &section = at<Elf64_Shdr>(kSections + header().e_shnum++ * sizeof(Elf64_Shdr));
    section = {next_name_, type, SHF_ALLOC, address, offset, size, 0, 0, 0, 0};
    next_name_ += static_cast<uint32_t>(std::strlen(name)) + 1;
    return section;
  }
  Result<ModuleFile> read() {
    const std::string path = testing::TempDir() + "hostile-" + std::to_string(getpid());
    std::ofstream(path, std::ios::binary).write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
    auto module = read_module_file(path);
    unlink(path.c_str());
    return module;
  }
  std::string reason() { return read().status().to_string(); }
  static constexpr uint64_t kSections = 1024, kNames = 512;

private:
  std::vector<char> bytes_;
  uint32_t next_name_ = 1;
};

TEST(HostileFile, is_read_if_it_does_no_harm) { EXPECT_EQ(HostileFile(4096).reason(), "success"); }

TEST(HostileFile, devices_fifos_and_folders_are_not_read) {
  const std::string fifo = testing::TempDir() + "fifo-" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(fifo.c_str(), 0666), 0);
  for (const std::string &path : {fifo, std::string("/dev/zero"), testing::TempDir()})
    EXPECT_EQ(read_module_file(path).status().to_string(), "it is no regular file") << path;
  unlink(fifo.c_str());
}

TEST(HostileFile, segments_at_the_end_of_memory_and_overlapping_ones_are_refused) {
  HostileFile file(4096);
  file.add_segment(UINT64_MAX - 100, 0, 4096);
  EXPECT_NE(file.reason().find("the end of memory"), std::string::npos);
  HostileFile other(4096);
  other.add_segment(64, 0, 4096);
  EXPECT_NE(other.reason().find("overlaps the one before it"), std::string::npos);
}

TEST(HostileFile, a_table_at_the_end_of_memory_ends) {
  HostileFile file(4096);
  const uint64_t last = UINT64_MAX - 63;
  file.add_segment(last - 4096, 0, 4096);
  file.add_section("omp_offloading_entries", SHT_PROGBITS, last - 4096, 0, 1 << 20);
  EXPECT_NE(file.reason().find("reaches past the end of memory"), std::string::npos) << file.reason();
  HostileFile other(4096);
  other.add_section("omp_offloading_entries", SHT_NOBITS, 32, 0, UINT64_MAX / 32 * 32);
  EXPECT_NE(other.reason().find("reaches past the end of memory"), std::string::npos) << other.reason();
}

TEST(HostileFile, names_that_share_their_bytes_are_refused) {
  constexpr uint64_t kCount = 10000, kTable = 4096, kName = kTable + kCount * 32, kLength = 100000;
  HostileFile file(kName + kLength + 1);
  for (uint64_t i = 0; i < kCount; ++i) {
    file.at<uint64_t>(kTable + i * 32) = kTable;
    file.at<uint64_t>(kTable + i * 32 + 8) = kName;
  }
  std::memset(&file.at<char>(kName), 'n', kLength);
  file.add_section("omp_offloading_entries", SHT_PROGBITS, kTable, kTable, kCount * 32);
  EXPECT_NE(file.reason().find("they overlap"), std::string::npos) << file.reason();
}

TEST(HostileFile, entries_where_the_module_has_no_memory_are_refused_and_named) {
  constexpr uint64_t kTable = 2048, kName = 3000;
  const auto reason = [](uint64_t address, uint64_t size) {
    HostileFile file(4096);
    file.at<__tgt_offload_entry>(kTable) = {reinterpret_cast<void *>(address), reinterpret_cast<char *>(kName), size, 0,
                                            0};
    std::strcpy(&file.at<char>(kName), "counter");
    file.add_section("omp_offloading_entries", SHT_PROGBITS, kTable, kTable, sizeof(__tgt_offload_entry));
    return file.reason();
  };
  EXPECT_NE(reason(0, 8).find("where the module has no memory"), std::string::npos);
  EXPECT_EQ(reason(4088, 8), "success");
  EXPECT_EQ(reason(4095, 0), "success");
  EXPECT_EQ(
      reason(4096, 8),
      "the entry of counter is at 0x1000 (8 bytes), where the module has no memory; in section omp_offloading_entries");
  for (const uint64_t address : {uint64_t{4092}, uint64_t{1} << 40, UINT64_MAX - 1})
    EXPECT_NE(reason(address, 8).find("where the module has no memory"), std::string::npos) << address;
  EXPECT_NE(reason(4096, 0).find("(1 bytes), where the module has no memory"), std::string::npos);
  EXPECT_NE(reason(8, UINT64_MAX).find("where the module has no memory"), std::string::npos);
}

TEST(HostileFile, an_entry_in_another_module_is_taken) {
  constexpr uint64_t kTable = 2048, kSymbols = 2200, kRelocations = 2400, kName = 3000;
  HostileFile file(4096);
  file.at<__tgt_offload_entry>(kTable) = {nullptr, reinterpret_cast<char *>(kName), 8, 0, 0};
  std::strcpy(&file.at<char>(kName), "counter");
  file.at<Elf64_Sym>(kSymbols + sizeof(Elf64_Sym)).st_shndx = SHN_UNDEF;
  file.at<Elf64_Rela>(kRelocations) = {kTable, ELF64_R_INFO(1, kMachine.relocations.absolute), 0};
  file.add_section("symbols", SHT_DYNSYM, kSymbols, kSymbols, 2 * sizeof(Elf64_Sym));
  const uint32_t symbols = file.header().e_shnum - 1u;
  file.add_section("relocations", SHT_RELA, kRelocations, kRelocations, sizeof(Elf64_Rela)).sh_link = symbols;
  file.add_section("omp_offloading_entries", SHT_PROGBITS, kTable, kTable, sizeof(__tgt_offload_entry));
  EXPECT_EQ(file.reason(), "success");
}

TEST(HostileFile, tables_of_relocations_that_share_their_bytes_are_refused) {
  HostileFile file(1 << 20);
  for (int i = 0; i < 4; ++i)
    file.add_section("r", SHT_RELA, 0, 65536, 24 * 20000);
  EXPECT_NE(file.reason().find("their tables overlap"), std::string::npos) << file.reason();
}

TEST(HostileFile, images_that_share_their_bytes_are_refused) {
  constexpr uint64_t kCount = 100, kDescriptor = 4096, kImages = 8192, kEntries = 16384;
  HostileFile file(1 << 20);
  file.at<uint32_t>(kDescriptor) = kCount;
  file.at<uint64_t>(kDescriptor + 8) = kImages;
  file.at<uint64_t>(kDescriptor + 16) = file.at<uint64_t>(kDescriptor + 24) = kEntries;
  for (uint64_t i = 0; i < kCount; ++i)
    file.at<uint64_t>(kImages + i * 32 + 8) = 1 << 19;
  file.add_section("omp_offloading_entries", SHT_PROGBITS, kEntries, kEntries, 0);
  EXPECT_NE(file.reason().find("they overlap"), std::string::npos) << file.reason();
}

TEST(GccTables, are_counted_and_refused_if_they_end_within_an_entry) {
  HostileFile file(4096);
  file.add_section(".gnu.offload_vars", SHT_PROGBITS, 2048, 2048, 32);
  auto module = file.read();
  ASSERT_TRUE(module.is_ok() && module->gcc) << module.status().to_string();
  EXPECT_EQ(module->gcc->kernels, 0u);
  EXPECT_EQ(module->gcc->variables, 2u);
  EXPECT_FALSE(module->gcc->has_images) << "nothing tells, as in a static program";
  file.add_section(".gnu.offload_funcs", SHT_PROGBITS, 2048, 2048, 12);
  EXPECT_NE(file.reason().find("12 bytes are no multiple of an entry's 8; in section .gnu.offload_funcs"),
            std::string::npos)
      << file.reason();
}

TEST(GccTables, empty_ones_count_as_none) {
  HostileFile file(4096);
  file.add_section(".gnu.offload_funcs", SHT_PROGBITS, 2048, 2048, 0);
  file.add_section(".gnu.offload_vars", SHT_PROGBITS, 2048, 2048, 0);
  auto module = file.read();
  ASSERT_TRUE(module.is_ok()) << module.status().to_string();
  EXPECT_FALSE(module->gcc);
}

TEST(Report, names_cannot_control_the_terminal) {
  FileReport file{"file\x1b[2J", {}, {}, {}};
  file.module.path = file.path;
  file.module.compilers = {"clang \x07"};
  file.module.descriptors.push_back({"clang 14", {{"kernel\x1b[2J\n  forged", EntryKind::kKernel, 0}}, {}, 0});
  const FileReport files[] = {file};
  const std::string text = report_as_text(Machine::with_plugins(), files);
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_EQ(text.find('\x07'), std::string::npos) << text;
  EXPECT_NE(text.find("kernel\\x1b[2J\\x0a  forged"), std::string::npos) << text;
}

TEST(ModuleFile, compilers_that_were_not_tried_are_remarked_upon) {
  for (const char *tried : {"Debian clang version 14.0.6", "Ubuntu clang version 18.1.3 (1ubuntu1)",
                            "clang version 23.1.4", "flang version 22.1.8"})
    EXPECT_EQ(remark_on_compiler(tried), "") << tried;
  const std::string remark = "not tried with omptarget, see compatibility.md";
  for (const char *other :
       {"Debian clang version 20.1.8", "clang version 24.1.0", "clang version 13.0.1", "somebody's"})
    EXPECT_EQ(remark_on_compiler(other), remark) << other;
  EXPECT_EQ(remark_on_compiler("AMD clang version 18.0.0git (roc-6.2.0)"), "AMD's clang: " + remark);
  EXPECT_EQ(remark_on_compiler("Cray clang version 18.0.1"), "HPE's Cray clang: " + remark);
  EXPECT_EQ(remark_on_compiler("Intel(R) oneAPI DPC++/C++ Compiler 2025.0.4"), "Intel's compiler: " + remark);
}

TEST(ModuleFile, each_signature_is_told_once_and_those_of_others_not) {
  using namespace std::string_view_literals;
  EXPECT_EQ(signatures_in("GCC: (Debian 12.2.0) 12.2.0\0clang version 19.1.7\0\0Linker: LLD 19\0clang version 19.1.7\0"
                          "AMD clang version 17.0.0"sv),
            (std::vector<std::string>{"clang version 19.1.7", "AMD clang version 17.0.0"}));
  EXPECT_TRUE(signatures_in("").empty());
}

TEST(ModuleFile, images_that_are_no_elf_files_or_cut_off_have_no_signatures) {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::vector<char> contents(1 << 16);
  file.read(contents.data(), static_cast<std::streamsize>(contents.size()));
  for (size_t size = 0; size <= contents.size(); size += size < 100 ? 1 : 997)
    EXPECT_TRUE(signatures_of(std::as_bytes(std::span(contents).first(size))).empty()) << size;
  std::fill(contents.begin() + 16, contents.end(), '\xff');
  EXPECT_TRUE(signatures_of(std::as_bytes(std::span(contents))).empty());
}

TEST(Report, names_of_entries_are_demangled) {
  EXPECT_EQ(readable_entry({"__omp_offloading_fe00_a7__Z4workPi_l12", EntryKind::kKernel, 0}), "work(int*), line 12");
  EXPECT_EQ(readable_entry({"_Z1fi", EntryKind::kIndirect, 8}), "f(int)");
  EXPECT_EQ(readable_entry({"counter", EntryKind::kVariable, 4}), "counter");
}

} // namespace
} // namespace omptarget::info_tool
