// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "plugin/plugin_image.h"

#include "section_file.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace omptarget {
namespace {

__tgt_device_image image_of(std::string &bytes) {
  return {bytes.data(), bytes.data() + bytes.size(), nullptr, nullptr};
}

std::string whole_image() {
  std::ifstream file(OMPTARGET_TEST_IMAGE, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::string image_reason(std::string bytes) {
  Status status = check_image_is_whole(image_of(bytes));
  return status.to_string();
}

std::string maker(SectionFile &file) {
  std::string bytes = file.bytes();
  const char *name = maker_without_leading_parameter(image_of(bytes));
  return name ? name : "";
}

TEST(PluginImage, whole_images_and_what_is_no_elf_file_are_left_alone) {
  EXPECT_EQ(image_reason(whole_image()), "success");
  EXPECT_EQ(image_reason("what a GPU's driver takes may be a text"), "success");
  EXPECT_EQ(image_reason(""), "success");
}

TEST(PluginImage, truncations_are_found) {
  const std::string whole = whole_image();
  for (size_t size = EI_NIDENT; size < whole.size(); size += 1 + size / 16)
    EXPECT_NE(image_reason(whole.substr(0, size)).find("the image is cut short: it has "), std::string::npos) << size;
  EXPECT_NE(image_reason(whole.substr(0, whole.size() - 1)).find("a table of sections of "), std::string::npos);
}

TEST(PluginImage, offsets_that_overflow_are_found) {
  std::string bytes = whole_image();
  reinterpret_cast<Elf64_Ehdr *>(bytes.data())->e_phoff = UINT64_MAX - 8;
  EXPECT_NE(image_reason(bytes).find("a table of segments of "), std::string::npos);
  bytes = whole_image();
  const uint64_t first = reinterpret_cast<Elf64_Ehdr *>(bytes.data())->e_phoff;
  auto *segment = reinterpret_cast<Elf64_Phdr *>(bytes.data() + first);
  while (segment->p_type != PT_LOAD)
    ++segment;
  segment->p_filesz = UINT64_MAX;
  EXPECT_NE(image_reason(bytes).find("a segment of 18446744073709551615 bytes"), std::string::npos);
}

TEST(PluginImage, the_compiler_tells_whether_kernels_have_the_implicit_parameter) {
  for (const int version : {14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24}) {
    SectionFile file;
    file.add(".comment", SHT_PROGBITS,
             std::string("GCC: (Debian 12.2.0) 12.2.0") + '\0' + "Debian clang version " + std::to_string(version) +
                 ".1.8 (1)" + '\0');
    EXPECT_EQ(maker(file), version < 18 ? "a clang before 18" : version > 22 ? "clang 23 or later" : "") << version;
  }
  SectionFile silent;
  silent.add(".comment", SHT_PROGBITS, "GCC: (Debian 12.2.0) 12.2.0");
  EXPECT_EQ(maker(silent), "");
  SectionFile cut;
  cut.add(".comment", SHT_PROGBITS, "clang version ");
  EXPECT_EQ(maker(cut), "");
}

TEST(PluginImage, so_does_what_images_for_gpus_have_beside_a_kernel) {
  SectionFile older;
  older.add_symbols({"kernel", "kernel_exec_mode"});
  EXPECT_EQ(maker(older), "a clang before 18");
  SectionFile newer;
  newer.add_symbols({"kernel", "kernel_kernel_environment"});
  EXPECT_EQ(maker(newer), "");
  SectionFile newest;
  newest.add_sized_symbols({{"kernel_kernel_environment", 40}});
  EXPECT_EQ(maker(newest), "clang 23 or later");
}

TEST(PluginImage, images_that_do_not_say_are_not_said_to_lack_it) {
  std::string text = "no ELF file";
  EXPECT_EQ(maker_without_leading_parameter(image_of(text)), nullptr);
  const std::string whole = whole_image();
  for (size_t size = 0; size < whole.size(); size += 1 + size / 16) {
    std::string cut = whole.substr(0, size);
    EXPECT_EQ(maker_without_leading_parameter(image_of(cut)), nullptr) << size;
    EXPECT_EQ(own_entry_count(image_of(cut)), 0u) << size;
  }
}

TEST(PluginImage, the_images_own_table_is_measured) {
  std::string whole = whole_image();
  EXPECT_EQ(own_entry_count(image_of(whole)), 2u);
  SectionFile without;
  std::string bytes = without.bytes();
  EXPECT_EQ(own_entry_count(image_of(bytes)), 0u);
}

TEST(PluginImage, dynamic_symbols_are_those_that_can_be_looked_up) {
  std::string whole = whole_image();
  const auto symbols = dynamic_symbols(image_of(whole));
  EXPECT_TRUE(symbols.contains("kernel_empty"));
  EXPECT_TRUE(symbols.contains("variable"));
  EXPECT_FALSE(symbols.contains("hidden_variable"));
  EXPECT_FALSE(symbols.contains("local_function"));
  EXPECT_FALSE(symbols.contains("__cxa_finalize")) << "of another library";
  reinterpret_cast<Elf64_Ehdr *>(whole.data())->e_machine = 190;
  EXPECT_TRUE(dynamic_symbols(image_of(whole)).empty());
  std::string text = "no ELF file";
  EXPECT_TRUE(dynamic_symbols(image_of(text)).empty());
}

TEST(PluginImage, images_for_other_machines_are_told_from_those_for_this_cpu) {
  std::string bytes = whole_image();
  EXPECT_TRUE(is_for_this_machine(image_of(bytes)));
  reinterpret_cast<Elf64_Ehdr *>(bytes.data())->e_machine = 190;
  EXPECT_FALSE(is_for_this_machine(image_of(bytes)));
}

} // namespace
} // namespace omptarget
