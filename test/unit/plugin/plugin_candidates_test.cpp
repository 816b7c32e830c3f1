// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/machine.h"
#include "plugin/plugin_candidates.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

namespace omptarget {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names_of(const std::vector<PluginCandidate> &candidates) {
  std::vector<std::string> names;
  for (const PluginCandidate &candidate : candidates)
    names.push_back(candidate.name);
  return names;
}

std::vector<PluginCandidate> candidates_of(std::initializer_list<std::string> names) {
  std::vector<PluginCandidate> candidates;
  for (const std::string &name : names)
    candidates.push_back({name, "/somewhere/" + name});
  return candidates;
}

class Folders : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "omptarget-XXXXXX";
    root_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  std::string folder(const char *name, std::initializer_list<std::string> files) {
    const std::filesystem::path path = root_ / name;
    std::filesystem::create_directory(path);
    for (const std::string &file : files)
      std::ofstream(path / file) << "x";
    return path;
  }
  std::filesystem::path root_;
};

TEST(PluginCandidates, names_come_from_file_names) {
  EXPECT_EQ(plugin_name_of("libomptarget.rtl.cuda.so"), "cuda");
  EXPECT_EQ(plugin_name_of("libomptarget.rtl.x86_64.nextgen.so"), "x86_64.nextgen");
  for (const char *other : {"libomptarget.rtl..so", "libomptarget.rtl.so", "libomptarget.so",
                            "libomptarget.rtl.cuda.so.15", "omptarget.rtl.cuda.so", ""})
    EXPECT_EQ(plugin_name_of(other), "") << other;
}

TEST(PluginCandidates, lists_lose_blanks_and_empty_parts) {
  EXPECT_THAT(split_list(" a, b ,,c,", ','), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_list("", ':'), IsEmpty());
  EXPECT_THAT(split_list("::", ':'), IsEmpty());
}

const std::string kHost = kMachine.name;

TEST(PluginCandidates, default_order_puts_gpus_first_and_the_cpu_last) {
  std::vector<std::string> missing;
  EXPECT_THAT(
      names_of(order_candidates(candidates_of({kHost, "zz", "amdgpu", "aa", "cuda", kHost + ".nextgen"}), {}, missing)),
      ElementsAre("cuda", "amdgpu", "aa", "zz", kHost + ".nextgen", kHost));
  EXPECT_THAT(missing, IsEmpty());
}

TEST(PluginCandidates, a_selection_orders_restricts_and_names_what_is_missing) {
  std::vector<std::string> missing;
  EXPECT_THAT(names_of(order_candidates(candidates_of({kHost, "zz", "cuda"}), {kHost, "nope", "cuda", kHost}, missing)),
              ElementsAre(kHost, "cuda"));
  EXPECT_THAT(missing, ElementsAre("nope"));
}

TEST(PluginCandidates, a_selection_means_names_first_and_kinds_where_there_is_none) {
  std::vector<std::string> missing;
  EXPECT_THAT(names_of(order_candidates(candidates_of({kHost, kHost + ".nextgen"}), {kHost}, missing)),
              ElementsAre(kHost));
  EXPECT_THAT(names_of(order_candidates(candidates_of({kHost + ".nextgen"}), {kHost}, missing)),
              ElementsAre(kHost + ".nextgen"));
  EXPECT_THAT(missing, IsEmpty());
}

TEST_F(Folders, one_that_everybody_can_write_is_warned_about) {
  const std::string mine = folder("mine", {"libomptarget.rtl.a.so"});
  const std::string shared = folder("shared", {"libomptarget.rtl.b.so"});
  std::filesystem::permissions(shared, std::filesystem::perms::all);
  std::vector<PluginRejection> rejections;
  testing::internal::CaptureStderr();
  EXPECT_THAT(names_of(find_candidates({mine, shared}, rejections)), ElementsAre("a", "b"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "omptarget warning: the folder of plugins " + shared +
                " is writable for everyone, and its files run in this process\n");
}

TEST_F(Folders, earlier_ones_come_first_within_a_kind) {
  const std::string first =
      folder("first", {"libomptarget.rtl.a.so", "libomptarget.rtl." + kHost + ".nextgen.so", "other.so"});
  const std::string second =
      folder("second", {"libomptarget.rtl.a.so", "libomptarget.rtl.b.so", "libomptarget.rtl." + kHost + ".so"});
  std::vector<PluginRejection> rejections;
  std::vector<std::string> missing;
  const std::vector<PluginCandidate> all = find_candidates({first, second}, rejections);
  std::vector<PluginCandidate> found = order_candidates(all, {}, missing);
  EXPECT_THAT(names_of(found), ElementsAre("a", "a", "b", kHost + ".nextgen", kHost));
  EXPECT_EQ(found[0].path, first + "/libomptarget.rtl.a.so");
  EXPECT_EQ(found[1].path, second + "/libomptarget.rtl.a.so");
  // The first folder has no plugin of that very name.
  EXPECT_THAT(names_of(order_candidates(all, {kHost}, missing)), ElementsAre(kHost + ".nextgen", kHost));
  EXPECT_THAT(rejections, IsEmpty());
}

TEST_F(Folders, folders_that_cannot_be_read_are_told) {
  std::vector<PluginRejection> rejections;
  const std::string missing = root_ / "missing";
  EXPECT_THAT(find_candidates({missing}, rejections), IsEmpty());
  ASSERT_EQ(rejections.size(), 1u);
  EXPECT_EQ(rejections[0].path, missing);
  EXPECT_EQ(rejections[0].reason, "the folder cannot be read: No such file or directory");
}

} // namespace
} // namespace omptarget
