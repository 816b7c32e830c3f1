// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/machine.h"
#include "plugin/plugin_file.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace omptarget {
namespace {

std::string plugin_bytes() {
  std::ifstream file(OMPTARGET_HOST_PLUGIN, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::string reason_for(const std::string &bytes) {
  Status status = check_plugin_contents(bytes);
  return status.to_string();
}

TEST(PluginFile, accepts_a_plugin) { EXPECT_EQ(reason_for(plugin_bytes()), "success"); }

TEST(PluginFile, truncations_are_refused_with_a_reason) {
  const std::string whole = plugin_bytes();
  for (size_t size = 0; size < whole.size(); size += 1 + size / 8)
    EXPECT_NE(reason_for(whole.substr(0, size)), "success") << size;
}

TEST(PluginFile, what_it_is_instead_is_named) {
  EXPECT_EQ(reason_for(std::string(100, 'x')), "is no ELF file: its first bytes are not those of one");
  std::string bytes = plugin_bytes();
  const uint16_t other = kMachine.elf_machine == EM_AARCH64 ? EM_X86_64 : EM_AARCH64;
  reinterpret_cast<Elf64_Ehdr *>(bytes.data())->e_machine = other;
  EXPECT_EQ(reason_for(bytes),
            "is built for " + machine_name(other) + "; this machine is " + std::string(kMachine.name));
  bytes = plugin_bytes();
  reinterpret_cast<Elf64_Ehdr *>(bytes.data())->e_type = ET_EXEC;
  EXPECT_EQ(reason_for(bytes), "is no shared object: its ELF type is 2");
  bytes = plugin_bytes();
  bytes[EI_CLASS] = ELFCLASS32;
  EXPECT_NE(reason_for(bytes).find("class 1"), std::string::npos);
}

TEST(PluginFile, a_required_function_under_another_name_is_missing) {
  std::string bytes = plugin_bytes();
  for (size_t at = 0; (at = bytes.find("__tgt_rtl_data_submit", at)) != std::string::npos; ++at)
    bytes[at + 2] = 'T';
  EXPECT_EQ(reason_for(bytes),
            "lacks the required function __tgt_rtl_data_submit; the plugin itself must define it, not "
            "a library it needs");
}

TEST(PluginFile, files_that_cannot_be_read_are_told) {
  EXPECT_EQ(check_plugin_file("/nonexistent/libomptarget.rtl.a.so").to_string(),
            "cannot be opened: No such file or directory");
  EXPECT_EQ(check_plugin_file("/").to_string(), "is no regular file");
}

} // namespace
} // namespace omptarget
