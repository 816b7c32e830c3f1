// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One broken plugin per defect: each is left out, or its failure is reported, with the reason.

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/machine.h"
#include "fakes.h"

namespace omptarget {
namespace {

using testing::HasSubstr;

std::string reason_for(const std::string &name, const std::string &path) {
  Result<std::unique_ptr<Plugin>> plugin = load_plugin(name, path);
  return plugin.status().to_string();
}
std::string reason_for(const std::string &name) { return reason_for(name, fake_path(name)); }

std::string load_failure_of(const std::string &name) {
  const Fake fake(name);
  FakeImage image;
  Result<__tgt_target_table *> table = fake->load_binary(0, image.description);
  return table.status().to_string();
}

std::string write_file(const std::string &name, const std::string &contents) {
  const std::string path = testing::TempDir() + "libomptarget.rtl." + name + ".so";
  std::ofstream(path, std::ios::binary) << contents;
  return path;
}

std::string read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

TEST(Loader, a_sound_plugin_is_taken) {
  const Fake fake("current");
  EXPECT_EQ(fake->name(), "current");
  EXPECT_EQ(fake->path(), fake_path("current"));
  EXPECT_EQ(fake->number_of_devices(), 2);
}

TEST(Loader, files_that_are_no_plugins_are_not_opened) {
  EXPECT_EQ(
      reason_for("text", write_file("text", "hello, I am a text and long enough to hold an ELF header, am I not?")),
      "is no ELF file: its first bytes are not those of one");
  EXPECT_EQ(reason_for("empty", write_file("empty", "")), "is empty");
  std::string bytes = read_file(fake_path("current"));
  reinterpret_cast<Elf64_Ehdr *>(bytes.data())->e_machine = EM_PPC64;
  EXPECT_EQ(reason_for("machine", write_file("machine", bytes)),
            "is built for ppc64le; this machine is " + std::string(kMachine.name));
  bytes = read_file(fake_path("current"));
  EXPECT_THAT(reason_for("cut", write_file("cut", bytes.substr(0, bytes.size() / 2))), HasSubstr("cannot be read"));
}

TEST(Loader, required_functions_must_be_the_plugins_own) {
  EXPECT_THAT(reason_for("missing_function"), HasSubstr("lacks the required function __tgt_rtl_data_submit;"));
  EXPECT_THAT(reason_for("in_dependency"), HasSubstr("lacks the required function __tgt_rtl_data_submit;"));
  EXPECT_THAT(reason_for("no_team_region"), HasSubstr("lacks the required function __tgt_rtl_run_target_team_region;"));
  EXPECT_THAT(reason_for("no_get_function"), HasSubstr("lacks the required function __tgt_rtl_get_function;"));
}

TEST(Loader, optional_functions_of_a_dependency_are_not_used) {
  const Fake fake("optional_in_dependency");
  ASSERT_TRUE(fake.plugin);
  EXPECT_FALSE(fake->print_device_info(0));
}

TEST(Loader, undefined_symbols_are_found_when_it_is_loaded) {
  EXPECT_THAT(reason_for("undefined_symbol"), HasSubstr("undefined symbol: no_such_function_anywhere"));
}

TEST(Loader, a_plugin_that_cannot_start_says_why) {
  EXPECT_EQ(reason_for("init_fails"), "__tgt_rtl_init_plugin fails with -7: the driver is too old");
  EXPECT_EQ(reason_for("abi_fails"), "__tgt_rtl_abi returns -4 instead of 0");
}

TEST(Loader, counts_of_devices_are_checked) {
  EXPECT_EQ(reason_for("negative_devices"), "__tgt_rtl_number_of_devices returns -3; expected 0 to 4096");
  EXPECT_EQ(reason_for("huge_devices"), "__tgt_rtl_number_of_devices returns 2000000000; expected 0 to 4096");
  EXPECT_EQ(reason_for("no_devices"), "reports no devices");
}

TEST(Loader, a_newer_interface_is_not_guessed_at) {
  EXPECT_EQ(reason_for("newer_abi"),
            "__tgt_rtl_abi says that it was built for version 42 of the plugin ABI; this library "
            "knows version 1");
}

TEST(Loader, a_plugin_that_closes_itself_is_left_out) {
  EXPECT_THAT(reason_for("closes_itself"), HasSubstr("closed its own handle in __tgt_rtl_init_plugin"));
}

TEST(Loader, settings_that_would_end_the_process_keep_plugins_of_llvm_out) {
  setenv("LIBOMPTARGET_DEBUG", "mapping,kernel", 1);
  EXPECT_EQ(reason_for("takes_numbers"),
            "would end the process: it takes only numbers from LIBOMPTARGET_DEBUG, not 'mapping,kernel'");
  EXPECT_EQ(reason_for("llvm16"), "success") << "it does not read numbers in that way";
  setenv("LIBOMPTARGET_DEBUG", "99999999999999999999", 1);
  EXPECT_THAT(reason_for("takes_numbers"), HasSubstr("would end the process"));
  setenv("LIBOMPTARGET_DEBUG", "1", 1);
  EXPECT_EQ(reason_for("takes_numbers"), "success");
  unsetenv("LIBOMPTARGET_DEBUG");
  setenv("LIBOMPTARGET_INFO", "lots", 1);
  EXPECT_EQ(reason_for("takes_numbers"),
            "would end the process: it takes only numbers from LIBOMPTARGET_INFO, not 'lots'");
  unsetenv("LIBOMPTARGET_INFO");
  EXPECT_EQ(reason_for("takes_numbers"), "success");
}

TEST(Loader, tables_are_checked) {
  const std::string start = "cannot load an image of 8 bytes on its device 0: __tgt_rtl_load_binary returns ";
  EXPECT_THAT(load_failure_of("null_table"),
              HasSubstr("plugin null_table " + start + "null: the image did not please"));
  EXPECT_THAT(load_failure_of("short_table"), HasSubstr(start + "a table of 3 entries; the image has 4"));
  EXPECT_THAT(load_failure_of("no_table_memory"), HasSubstr(start + "a table at 0x10, where there is no memory"));
  EXPECT_THAT(load_failure_of("no_entry_memory"),
              HasSubstr(start + "a table whose entries are at 0x1000, where there is no memory"));
  EXPECT_THAT(load_failure_of("host_table"), HasSubstr(start + "the program's own table of entries"));
  EXPECT_THAT(load_failure_of("wild_names"),
              HasSubstr("plugin wild_names " + start +
                        "a table of 3 entries, and entry 0 has its name at 0x10, where no text is"));
  EXPECT_THAT(load_failure_of("backward_table"), HasSubstr("which is no array of entries"));
}

TEST(Loader, failures_of_functions_carry_the_plugins_words) {
  const Fake fake("fails_at");
  char bytes[4] = "abc";
  char target[4];
  for (int call = 1; call <= 4; ++call) {
    Status status = fake->data_submit(0, target, bytes, 4, nullptr);
    EXPECT_EQ(status.is_ok(), call != 3);
    if (call == 3) {
      EXPECT_THAT(status.to_string(), HasSubstr("plugin fails_at cannot copy 4 bytes from host address 0x"));
      EXPECT_THAT(status.to_string(), HasSubstr(" on its device 0: the bus is broken"));
    }
  }
  Result<void *> memory = fake->data_alloc(0, int64_t{1} << 50, nullptr, 0);
  EXPECT_THAT(memory.status().to_string(), HasSubstr("plugin fails_at cannot allocate 1125899906842624 bytes"));
  EXPECT_THAT(memory.status().to_string(), HasSubstr("the device has no such amount"));
  Status status = fake->init_device(1, 1);
  EXPECT_EQ(status.to_string(), "plugin fails_at cannot initialise its device 1: device 1 is on fire "
                                "(__tgt_rtl_init_device of " +
                                    fake_path("fails_at") + ")");
}

} // namespace
} // namespace omptarget
