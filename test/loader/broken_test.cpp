// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each broken plugin is left out, and the program runs on the host. If offloading is mandatory, the program ends with a
// message that names the file, the function and the reason. And that the kit finds each.

#include <csignal>
#include <cstdlib>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

#include "fakes.h"

namespace omptarget {
namespace {

using testing::HasSubstr;

enum class Effect {
  kLeftOut,  ///< the program does without
  kNotAFile, ///< the same, and the kit does not even open it
  kFails,    ///< it is used, and a construct fails
};

struct Broken {
  const char *name;
  Effect effect;
  const char *reason; ///< with the function, where there is one
};

void PrintTo(const Broken &broken, std::ostream *out) { *out << broken.name; }

constexpr Broken kBroken[] = {
    {"text", Effect::kNotAFile, "is no ELF file"},
    {"machine", Effect::kNotAFile, "is built for ppc64le; this machine is "},
    {"missing_function", Effect::kNotAFile, "lacks the required function __tgt_rtl_data_submit;"},
    {"in_dependency", Effect::kNotAFile, "lacks the required function __tgt_rtl_data_submit;"},
    {"undefined_symbol", Effect::kLeftOut, "undefined symbol: no_such_function_anywhere"},
    {"init_fails", Effect::kLeftOut, "__tgt_rtl_init_plugin fails with -7: the driver is too old"},
    {"negative_devices", Effect::kLeftOut, "__tgt_rtl_number_of_devices returns -3; expected 0 to 4096"},
    {"huge_devices", Effect::kLeftOut, "__tgt_rtl_number_of_devices returns 2000000000; expected 0 to 4096"},
    {"newer_abi", Effect::kLeftOut, "__tgt_rtl_abi says that it was built for version 42 of the plugin ABI"},
    {"abi_fails", Effect::kLeftOut, "__tgt_rtl_abi returns -4 instead of 0"},
    {"closes_itself", Effect::kLeftOut, "closed its own handle in __tgt_rtl_init_plugin"},
    {"null_table", Effect::kFails, "__tgt_rtl_load_binary returns null: the image did not please"},
    {"short_table", Effect::kFails, "__tgt_rtl_load_binary returns a table of "},
    {"no_table_memory", Effect::kFails, "__tgt_rtl_load_binary returns a table at 0x10, where there is no memory"},
    {"no_entry_memory", Effect::kFails,
     "__tgt_rtl_load_binary returns a table whose entries are at 0x1000, where there is no memory"},
    {"host_table", Effect::kFails, "__tgt_rtl_load_binary returns the program's own table of entries"},
    {"backward_table", Effect::kFails, "which is no array of entries"},
    {"fails_at", Effect::kFails, " on its device 0: the bus is broken (__tgt_rtl_data_submit of "},
    {"fails_silently", Effect::kFails, "fails_silently.so returns -1)"},
};

struct Ended {
  int status;
  std::string output; ///< output of both streams
};

Ended run(const std::string &command) {
  Ended ended{0, {}};
  FILE *pipe = popen(("exec 2>&1; " + command).c_str(), "r");
  char buffer[512];
  while (fgets(buffer, sizeof buffer, pipe))
    ended.output += buffer;
  ended.status = pclose(pipe);
  return ended;
}

/// The file of a fake plugin; those that are no plugins at all are written.
std::string file_of(const std::string &name) {
  if (name != "text" && name != "machine")
    return fake_path(name);
  const std::string folder = testing::TempDir() + "omptarget-broken-" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  std::string bytes = "hello, I am a text and long enough to hold an ELF header of 64 bytes, am I not?";
  if (name == "machine") {
    std::ifstream file(fake_path("current"), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    reinterpret_cast<Elf64_Ehdr *>(bytes.data())->e_machine = EM_PPC64;
  }
  const std::string path = folder + "/libomptarget.rtl." + name + ".so";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

Ended run_program(const std::string &name, const char *policy) {
  const std::string folder = std::filesystem::path(file_of(name)).parent_path();
  return run("exec env LIBOMPTARGET_PLUGIN_PATH='" + folder + "' LIBOMPTARGET_PLUGINS=" + name +
             " OMP_TARGET_OFFLOAD=" + policy + " '" OMPTARGET_BROKEN_PROGRAM "'");
}

bool is_aborted(const Ended &ended) {
  return WIFSIGNALED(ended.status) ? WTERMSIG(ended.status) == SIGABRT
                                   : WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == 128 + SIGABRT;
}

class BrokenPlugin : public testing::TestWithParam<Broken> {};

TEST_P(BrokenPlugin, leaves_programs_on_the_host_or_ends_them_with_the_reason) {
  const Broken broken = GetParam();
  const Ended by_default = run_program(broken.name, "DEFAULT");
  if (broken.effect != Effect::kFails) {
    EXPECT_EQ(by_default.status, 0);
    EXPECT_EQ(by_default.output, "0 of 4 on a device\n") << "and nothing else is printed";
  } else {
    EXPECT_TRUE(is_aborted(by_default)) << by_default.output;
    EXPECT_THAT(by_default.output, HasSubstr(broken.reason));
  }
  const Ended mandatory = run_program(broken.name, "MANDATORY");
  EXPECT_TRUE(is_aborted(mandatory)) << mandatory.output;
  EXPECT_THAT(mandatory.output, HasSubstr(broken.reason));
  EXPECT_THAT(mandatory.output, HasSubstr(std::string(broken.name)));
  EXPECT_THAT(mandatory.output, HasSubstr(file_of(broken.name))) << "the file is named";
  const Ended disabled = run_program(broken.name, "DISABLED");
  EXPECT_EQ(disabled.output, "0 of 4 on a device\n");
}

TEST_P(BrokenPlugin, is_found_by_the_kit) {
  const Broken broken = GetParam();
  const std::string image = testing::TempDir() + "omptarget-broken-" + std::to_string(getpid()) + ".image";
  std::ofstream(image, std::ios::binary) << "FAKE image";
  const Ended kit = run("exec '" OMPTARGET_KIT "' --timeout 20 --image '" + image + "' '" + file_of(broken.name) + "'");
  ASSERT_TRUE(WIFEXITED(kit.status)) << kit.output;
  EXPECT_EQ(WEXITSTATUS(kit.status), broken.effect == Effect::kNotAFile ? 2 : 1) << kit.output;
  EXPECT_THAT(kit.output, HasSubstr(file_of(broken.name)));
  EXPECT_THAT(kit.output, HasSubstr(broken.reason));
  std::filesystem::remove(image);
}

INSTANTIATE_TEST_SUITE_P(Each, BrokenPlugin, testing::ValuesIn(kBroken),
                         [](const auto &row) { return std::string(row.param.name); });

TEST(BrokenPlugins, a_sound_one_runs_the_program) {
  const Ended ended = run_program("current", "MANDATORY");
  EXPECT_EQ(ended.output, "4 of 4 on a device\n");
  EXPECT_EQ(ended.status, 0);
}

} // namespace
} // namespace omptarget
