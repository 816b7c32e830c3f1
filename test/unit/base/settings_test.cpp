// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/settings.h"

#include <gtest/gtest.h>
#include <string>

namespace omptarget {
namespace {

TEST(Settings, the_nearest_known_name_is_suggested) {
  EXPECT_EQ(unknown_setting_text("LIBOMPTARGET_INF"),
            "LIBOMPTARGET_INF is no setting of this runtime and has no effect; did you mean LIBOMPTARGET_INFO?");
  EXPECT_EQ(unknown_setting_text("LIBOMPTARGET_PLUGINPATH"),
            "LIBOMPTARGET_PLUGINPATH is no setting of this runtime and has no effect; did you mean "
            "LIBOMPTARGET_PLUGIN_PATH?");
}

TEST(Settings, nothing_is_suggested_for_a_name_that_resembles_none) {
  EXPECT_EQ(unknown_setting_text("LIBOMPTARGET_XYZZY_QUUX_42"),
            "LIBOMPTARGET_XYZZY_QUUX_42 is no setting of this runtime and has no effect");
}

TEST(Settings, known_names_and_those_of_others_are_left_alone) {
  EXPECT_EQ(unknown_setting_text("LIBOMPTARGET_DEBUG"), "");
  EXPECT_EQ(unknown_setting_text("OMP_NUM_THREADS"), "");
  EXPECT_EQ(unknown_setting_text("PATH"), "");
}

TEST(Settings, settings_of_llvm_that_do_nothing_here_are_named_as_such) {
  EXPECT_NE(unknown_setting_text("LIBOMPTARGET_JIT_OPT_LEVEL").find("LLVM's runtime"), std::string::npos);
}

TEST(Settings, nonsense_is_replaced_by_the_default) {
  setenv("LIBOMPTARGET_INFO", "verbose", 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(setting_integer(SettingId::kInfo), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "omptarget warning: LIBOMPTARGET_INFO: 'verbose' is no integer; the default '0' is used\n");
  setenv("LIBOMPTARGET_INFO", "0x30", 1);
  EXPECT_EQ(setting_integer(SettingId::kInfo), 0x30);
  unsetenv("LIBOMPTARGET_INFO");
}

} // namespace
} // namespace omptarget
