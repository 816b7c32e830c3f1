// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/info/plugin_trial.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string_view>

namespace omptarget::info_tool {
namespace {

using testing::MatchesRegex;

/// The trial's words about a plugin with this fault.
std::string said_of(const char *fault, bool uses_devices = true) {
  setenv("FAULTY_PLUGIN", fault, 1);
  std::string reason = try_plugin(OMPTARGET_FAULTY_PLUGIN, {uses_devices, 1});
  unsetenv("FAULTY_PLUGIN");
  return reason;
}

TEST(PluginTrial, a_plugin_without_faults_passes) {
  EXPECT_EQ(said_of("none"), "");
  EXPECT_EQ(said_of("init_device crashes", false), "") << "its devices are not used";
  EXPECT_EQ(try_plugin("/does/not/exist", {true, 1}), "") << "opening it says why";
}

TEST(PluginTrial, crashes_exits_and_hangs_are_told_apart_and_placed) {
  const std::string_view sanitizer = OMPTARGET_SANITIZER;
  if (sanitizer == "address" || sanitizer == "thread")
    GTEST_SKIP() << "the sanitizer handles signals and ends of processes";
  const char *const places[][2] = {
      {"constructor", "the dynamic linker loads it and runs its constructors"},
      {"init_plugin", "__tgt_rtl_init_plugin runs"},
      {"number_of_devices", "__tgt_rtl_number_of_devices runs"},
      {"init_device", "__tgt_rtl_init_device runs"},
  };
  for (const auto &[place, words] : places) {
    EXPECT_THAT(said_of((std::string(place) + " crashes").c_str()),
                MatchesRegex("ends its process with signal 11 \\(.*\\) while " + std::string(words)));
    EXPECT_EQ(said_of((std::string(place) + " exits").c_str()),
              "ends its process with status 0 while " + std::string(words));
    EXPECT_EQ(said_of((std::string(place) + " hangs").c_str()),
              "hangs: it was ended after 1 seconds, while " + std::string(words));
  }
}

} // namespace
} // namespace omptarget::info_tool
