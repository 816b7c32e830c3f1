// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search as a process does it, through its environment.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fakes.h"
#include "image/plugin_need.h"
#include "plugin/plugin_search.h"

namespace omptarget {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Search : public testing::Test {
protected:
  void TearDown() override {
    unsetenv("LIBOMPTARGET_PLUGIN_PATH");
    unsetenv("LIBOMPTARGET_PLUGINS");
    unsetenv("LIBOMPTARGET_DEBUG");
    unsetenv("LIBOMPTARGET_DEBUG_FILE");
  }
  static std::vector<std::string> names_of(const PluginSet &set) {
    std::vector<std::string> names;
    for (const auto &plugin : set.plugins)
      names.push_back(plugin->name());
    return names;
  }
  static std::string folder_of(const char *fake) { return std::string(OMPTARGET_FAKES) + "/" + fake; }
};

TEST_F(Search, takes_sound_plugins_and_tells_about_the_others) {
  setenv("LIBOMPTARGET_PLUGIN_PATH",
         (folder_of("missing_function") + ":" + folder_of("current") + "::/nonexistent:" + folder_of("no_devices"))
             .c_str(),
         1);
  const PluginSet set = load_plugins(PluginNeed::all());
  EXPECT_THAT(names_of(set), ElementsAre("current"));
  ASSERT_EQ(set.rejections.size(), 3u);
  EXPECT_EQ(set.rejections[0].path, "/nonexistent");
  EXPECT_EQ(set.rejections[1].path, fake_path("missing_function"));
  EXPECT_THAT(set.rejections[1].reason, HasSubstr("lacks the required function"));
  EXPECT_EQ(set.rejections[2].reason, "reports no devices");
}

TEST_F(Search, a_selection_orders_and_restricts) {
  setenv("LIBOMPTARGET_PLUGIN_PATH",
         (folder_of("llvm14") + ":" + folder_of("current") + ":" + folder_of("llvm16")).c_str(), 1);
  EXPECT_THAT(names_of(load_plugins(PluginNeed::all())), ElementsAre("current", "llvm14", "llvm16"));
  setenv("LIBOMPTARGET_PLUGINS", "llvm16,nothing,current", 1);
  const PluginSet set = load_plugins(PluginNeed::all());
  EXPECT_THAT(names_of(set), ElementsAre("llvm16", "current"));
  ASSERT_EQ(set.rejections.size(), 1u);
  EXPECT_EQ(set.rejections[0].path, "libomptarget.rtl.nothing.so");
}

TEST_F(Search, the_second_of_a_kind_is_used_only_if_the_first_cannot_be) {
  std::string pattern = testing::TempDir() + "omptarget-XXXXXX";
  const std::string folder = mkdtemp(pattern.data());
  const auto copy = [&](const char *fake, const char *name) {
    std::filesystem::copy_file(fake_path(fake), folder + "/libomptarget.rtl." + name + ".so");
  };
  copy("current", "good.nextgen");
  copy("llvm16", "good");
  copy("no_devices", "bad.nextgen");
  copy("llvm15", "bad");
  setenv("LIBOMPTARGET_PLUGIN_PATH", folder.c_str(), 1);
  const PluginSet set = load_plugins(PluginNeed::all());
  EXPECT_THAT(names_of(set), ElementsAre("bad", "good.nextgen"));
  ASSERT_EQ(set.rejections.size(), 2u);
  EXPECT_EQ(set.rejections[1].reason, "good.nextgen is used instead");
  std::filesystem::remove_all(folder);
}

TEST_F(Search, a_file_that_cannot_be_opened_gives_way_to_the_next_folder) {
  std::string pattern = testing::TempDir() + "omptarget-XXXXXX";
  const std::string root = mkdtemp(pattern.data());
  const auto copy = [&](const char *fake, const char *folder, const char *name) {
    std::filesystem::create_directory(root + "/" + folder);
    const std::string path = root + "/" + folder + "/libomptarget.rtl." + name + ".so";
    std::filesystem::copy_file(fake_path(fake), path);
    return path;
  };
  const std::string cut = copy("current", "first", "cut");
  std::filesystem::resize_file(cut, 1000);
  const std::string whole = copy("current", "second", "cut");
  const std::string good = copy("current", "first", "good");
  copy("current", "second", "good");
  copy("no_devices", "first", "idle");
  copy("current", "second", "idle");
  setenv("LIBOMPTARGET_PLUGIN_PATH", (root + "/first:" + root + "/second").c_str(), 1);
  testing::internal::CaptureStderr();
  const PluginSet set = load_plugins(PluginNeed::all());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::AllOf(HasSubstr("omptarget warning: " + cut + ": "),
                                                                     HasSubstr("; " + whole + " is used instead")));
  EXPECT_THAT(names_of(set), ElementsAre("cut", "good"));
  EXPECT_EQ(set.plugins[0]->path(), whole);
  EXPECT_EQ(set.plugins[1]->path(), good);
  ASSERT_EQ(set.rejections.size(), 2u);
  EXPECT_EQ(set.rejections[0].path, cut);
  EXPECT_EQ(set.rejections[1].reason, "reports no devices");
  std::filesystem::remove_all(root);
}

TEST_F(Search, drivers_that_no_image_needs_wait) {
  std::string pattern = testing::TempDir() + "omptarget-XXXXXX";
  const std::string folder = mkdtemp(pattern.data());
  for (const char *name : {"cuda", "amdgpu", "x86_64", "other"})
    std::filesystem::copy_file(fake_path("current"), folder + "/libomptarget.rtl." + name + ".so");
  setenv("LIBOMPTARGET_PLUGIN_PATH", folder.c_str(), 1);
  PluginSet set = load_plugins({});
  EXPECT_THAT(names_of(set), ElementsAre("other", "x86_64"));
  EXPECT_FALSE(set.lacks({}));
  const PluginNeed amdgpu{false, true};
  EXPECT_TRUE(set.lacks(amdgpu));
  set.add(load_waiting(set.waiting, amdgpu));
  EXPECT_THAT(names_of(set), ElementsAre("amdgpu", "other", "x86_64"));
  EXPECT_FALSE(set.lacks(amdgpu));
  EXPECT_TRUE(set.lacks(PluginNeed::all()));
  set.add(load_waiting(set.waiting, PluginNeed::all()));
  set.add(load_waiting({{"cuda", folder + "/libomptarget.rtl.cuda.so", "cuda", 0}},
                       PluginNeed::all())); // another thread loads it
  EXPECT_THAT(names_of(set), ElementsAre("cuda", "amdgpu", "other", "x86_64"));
  EXPECT_FALSE(set.lacks(PluginNeed::all()));

  setenv("LIBOMPTARGET_PLUGINS", "x86_64,cuda", 1); // a plugin that is named is wanted
  EXPECT_THAT(names_of(load_plugins({})), ElementsAre("x86_64", "cuda"));
  std::filesystem::remove_all(folder);
}

TEST_F(Search, images_tell_which_driver_they_need) {
  const auto need_of = [](std::string_view text) {
    const PluginNeed need = plugin_need_of(image_facts(std::as_bytes(std::span(text))));
    return std::string(need.cuda ? "cuda " : "") + (need.amdgpu ? "amdgpu" : "");
  };
  const auto elf = [](uint16_t machine) {
    std::string bytes(64, '\0');
    bytes.replace(0, 7,
                  std::string("\x7f"
                              "ELF\2\1\1",
                              7));
    bytes[18] = static_cast<char>(machine & 0xff);
    bytes[19] = static_cast<char>(machine >> 8);
    return bytes;
  };
  EXPECT_EQ(need_of(elf(62)), "");
  EXPECT_EQ(need_of(elf(190)), "cuda ");
  EXPECT_EQ(need_of(elf(224)), "amdgpu");
  EXPECT_EQ(need_of("//\n.version 7.0\n.target sm_80\n"), "cuda ");
  EXPECT_EQ(need_of("BC\xc0\xde...."), "cuda amdgpu");
  EXPECT_EQ(need_of("something else"), "cuda amdgpu");
  EXPECT_EQ(need_of(""), "cuda amdgpu");
}

/// The child's output, its exit status checked.
std::string output_of(const std::string &command) {
  std::string output;
  FILE *pipe = popen(command.c_str(), "r");
  char buffer[256];
  while (fgets(buffer, sizeof buffer, pipe))
    output += buffer;
  EXPECT_EQ(pclose(pipe), 0);
  return output;
}

/// Folders start/lib with the library and one plugin, and elsewhere/lib with another one.
class SearchFromElsewhere : public Search {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "omptarget-XXXXXX";
    root_ = mkdtemp(pattern.data());
    std::filesystem::create_directories(root_ + "/start/lib");
    std::filesystem::create_directories(root_ + "/elsewhere/lib");
    std::filesystem::copy_file(OMPTARGET_LIBRARY, root_ + "/start/lib/libomptarget.so");
    std::filesystem::copy_file(fake_path("llvm14"), root_ + "/start/lib/libomptarget.rtl.right.so");
    std::filesystem::copy_file(fake_path("llvm16"), root_ + "/elsewhere/lib/libomptarget.rtl.wrong.so");
    std::ofstream(root_ + "/elsewhere/lib/libomptarget.so") << "any file";
  }
  void TearDown() override {
    std::filesystem::remove_all(root_);
    Search::TearDown();
  }
  std::string moving_program(const std::string &variables) const {
    return output_of("cd " + root_ + "/start && " + variables +
                     " LIBOMPTARGET_DEBUG=plugin " OMPTARGET_MOVING_PROGRAM " ../elsewhere 2>&1");
  }

  std::string root_;
};

TEST_F(SearchFromElsewhere, the_librarys_folder_is_the_one_it_was_loaded_from) {
  const std::string output = moving_program("LD_LIBRARY_PATH=lib");
  EXPECT_THAT(output, HasSubstr("searching " + root_ + "/start/lib"));
  EXPECT_THAT(output, Not(HasSubstr("wrong")));
  EXPECT_THAT(output, Not(HasSubstr("elsewhere")));
}

TEST_F(SearchFromElsewhere, relative_folders_are_meant_from_where_the_program_began) {
  const std::string output =
      moving_program("LIBOMPTARGET_PLUGIN_PATH=lib LD_LIBRARY_PATH=$(dirname " OMPTARGET_LIBRARY ")");
  EXPECT_THAT(output, HasSubstr("searching " + root_ + "/start/lib"));
  EXPECT_THAT(output, Not(HasSubstr("wrong")));
  EXPECT_THAT(output, Not(HasSubstr("elsewhere")));
}

TEST_F(Search, argv_does_not_say_where_the_library_is) {
  std::string pattern = testing::TempDir() + "omptarget-XXXXXX";
  const std::string folder = mkdtemp(pattern.data());
  std::filesystem::copy_file(fake_path("llvm16"), folder + "/libomptarget.rtl.wrong.so");
  std::ofstream(folder + "/search") << "any file";
  // Two ways to call it by another name: a path of another folder, and a name that means nothing without PATH.
  for (const std::string &name : {folder + "/search", std::string("search")})
    EXPECT_EQ(output_of("cd " + folder + " && bash -c 'exec -a " + name + " " OMPTARGET_SEARCH_PROGRAM "'"),
              "ordinary:")
        << name;
  std::filesystem::remove_all(folder);
}

TEST_F(Search, privileged_processes_do_not_look_where_the_environment_says) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can make a privileged program";
  std::string pattern = testing::TempDir() + "omptarget-XXXXXX";
  const std::string folder = mkdtemp(pattern.data());
  const std::string program = folder + "/search";
  std::filesystem::copy_file(OMPTARGET_SEARCH_PROGRAM, program);
  const std::string trace = folder + "/trace";
  setenv("LIBOMPTARGET_PLUGIN_PATH", folder_of("current").c_str(), 1);
  setenv("LIBOMPTARGET_DEBUG_FILE", trace.c_str(), 1);
  setenv("LIBOMPTARGET_DEBUG", "1", 1);
  EXPECT_EQ(output_of(program), "ordinary: current");
  EXPECT_TRUE(std::filesystem::remove(trace));
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(chown(program.c_str(), kNobody, kNobody), 0);
  ASSERT_EQ(chmod(program.c_str(), 04755), 0);
  ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
  setenv("LIBOMPTARGET_INFO", "-1", 1);
  const std::string output = output_of(program + " 2>&1"); // where the trace would go
  unsetenv("LIBOMPTARGET_INFO");
  const bool has_written = std::filesystem::exists(trace);
  std::filesystem::remove_all(folder);
  if (output.find("ordinary") == 0)
    GTEST_SKIP() << "this file system takes no privileged programs";
  EXPECT_EQ(output, "privileged:") << "nothing of the process is shown to whom started it";
  EXPECT_FALSE(has_written) << "where the trace goes is not for the environment to say either";
}

} // namespace
} // namespace omptarget
