// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/settings.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace omptarget {
namespace {

/// Sets a variable for one test.
class Variable {
public:
  Variable(SettingId id, const char *value) : name_(setting_row(id).variable) { setenv(name_, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;

private:
  const char *name_;
};

TEST(Settings, rows_are_complete_and_names_are_unique) {
  std::set<std::string> names;
  for (uint32_t i = 0; i < static_cast<uint32_t>(SettingId::kCount); ++i) {
    const SettingRow &row = setting_row(static_cast<SettingId>(i));
    EXPECT_TRUE(names.insert(row.variable).second) << row.variable;
    EXPECT_STRNE(row.help, "") << row.variable;
    EXPECT_STRNE(row.reader, "") << row.variable;
  }
}

TEST(Settings, defaults_of_numbers_and_flags_make_sense) {
  testing::internal::CaptureStderr();
  for (uint32_t i = 0; i < static_cast<uint32_t>(SettingId::kCount); ++i) {
    const auto id = static_cast<SettingId>(i);
    if (setting_row(id).default_value[0] == '\0')
      continue;
    const Variable variable(id, setting_row(id).default_value); // read as if somebody had set it: no warning
    if (setting_row(id).type == SettingType::kFlag)
      (void)setting_flag(id);
    else if (setting_row(id).type == SettingType::kInteger)
      (void)setting_integer(id);
    else if (setting_row(id).type == SettingType::kNumber)
      (void)setting_number(id);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Settings, unset_and_empty_are_the_default) {
  EXPECT_EQ(setting_text(SettingId::kPluginPath), nullptr);
  EXPECT_TRUE(setting_flag(SettingId::kMapForceAtomic));
  const Variable variable(SettingId::kMapForceAtomic, "");
  EXPECT_FALSE(setting_is_set(SettingId::kMapForceAtomic));
  EXPECT_TRUE(setting_flag(SettingId::kMapForceAtomic));
}

TEST(Settings, variables_of_a_device_have_an_order) {
  constexpr SettingId kTeams = SettingId::kDeviceNumTeams;
  EXPECT_FALSE(device_setting(kTeams, 3));
  EXPECT_EQ(device_setting_in(kTeams, 3, 1, 100), 0);
  setenv("OMP_NUM_TEAMS_ALL", "7", 1);
  EXPECT_EQ(device_setting_in(kTeams, 3, 1, 100), 7);
  const Variable of_devices(kTeams, "8");
  EXPECT_EQ(device_setting_in(kTeams, 3, 1, 100), 8);
  setenv("OMP_NUM_TEAMS_DEV_3", "9", 1);
  EXPECT_EQ(device_setting_in(kTeams, 3, 1, 100), 9);
  EXPECT_EQ(device_setting_in(kTeams, 13, 1, 100), 8);
  EXPECT_EQ(device_setting(kTeams, 3)->variable, "OMP_NUM_TEAMS_DEV_3");
  setenv("OMP_NUM_TEAMS_DEV_3", "101", 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(device_setting_in(kTeams, 3, 1, 100), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "omptarget warning: OMP_NUM_TEAMS_DEV_3: '101' is no integer between 1 and 100; ignored\n");
  unsetenv("OMP_NUM_TEAMS_DEV_3");
  unsetenv("OMP_NUM_TEAMS_ALL");
}

TEST(Settings, flags_have_words_and_numbers) {
  for (const char *no : {"false", "False", "no", "OFF", "0"}) {
    const Variable variable(SettingId::kMapForceAtomic, no);
    EXPECT_FALSE(setting_flag(SettingId::kMapForceAtomic)) << no;
  }
  for (const char *yes : {"true", "Yes", "on", "1"}) {
    const Variable variable(SettingId::kApuMaps, yes);
    EXPECT_TRUE(setting_flag(SettingId::kApuMaps)) << yes;
  }
}

TEST(Settings, what_is_no_size_means_the_default_that_the_reader_gives) {
  constexpr SettingId kSize = SettingId::kMemoryManagerThreshold;
  EXPECT_EQ(setting_or(kSize, 0, 1000, 77), 77);
  for (const char *nonsense : {"much", "-1", "1001", "12k", ""}) {
    const Variable variable(kSize, nonsense);
    EXPECT_EQ(setting_or(kSize, 0, 1000, 77), 77) << nonsense;
  }
  for (const auto &[text, value] : {std::pair{"0", 0}, std::pair{"1000", 1000}, std::pair{"0x10", 16}}) {
    const Variable variable(kSize, text);
    EXPECT_EQ(setting_or(kSize, 0, 1000, 77), value);
  }
}

TEST(Settings, a_setting_that_went_is_told_what_there_is_instead) {
  EXPECT_NE(unknown_setting_text("LIBOMPTARGET_STREAM_ORDERED_ALLOCATION").find("LIBOMPTARGET_MEMORY_MANAGER_LIMIT"),
            std::string::npos);
}

TEST(Settings, integers_may_be_negative_and_hexadecimal) {
  const std::pair<const char *, int64_t> cases[] = {{"-1", -1}, {"0x10", 16}, {"9223372036854775807", INT64_MAX}};
  for (const auto &[text, value] : cases) {
    const Variable variable(SettingId::kInfo, text);
    EXPECT_EQ(setting_integer(SettingId::kInfo), value);
  }
}

TEST(Settings, nonsense_is_warned_about_once_and_the_default_is_used) {
  const Variable variable(SettingId::kQueryCountMax, "8k");
  testing::internal::CaptureStderr();
  EXPECT_EQ(setting_integer(SettingId::kQueryCountMax), 10);
  EXPECT_EQ(setting_integer(SettingId::kQueryCountMax), 10);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "omptarget warning: OMPTARGET_QUERY_COUNT_MAX: '8k' is no integer; the default '10' is used\n");
}

TEST(Settings, numbers_out_of_range_are_nonsense) {
  const Variable variable(SettingId::kExitTimeout, "99999999999999999999");
  testing::internal::CaptureStderr();
  EXPECT_EQ(setting_integer(SettingId::kExitTimeout), 10000);
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
}

TEST(Settings, the_nearest_known_name_is_suggested) {
  EXPECT_EQ(unknown_setting_text("LIBOMPTARGET_INF"),
            "LIBOMPTARGET_INF is no setting of this runtime and has no effect; did you mean LIBOMPTARGET_INFO?");
  EXPECT_EQ(unknown_setting_text("LIBOMPTARGET_PLUGINPATH"),
            "LIBOMPTARGET_PLUGINPATH is no setting of this runtime and has no effect; did you mean "
            "LIBOMPTARGET_PLUGIN_PATH?");
}

TEST(Settings, nothing_is_suggested_for_a_name_that_resembles_none) {
  const std::vector<std::string> plugins{"acme-9", "cuda"};
  EXPECT_EQ(unknown_setting_text("LIBOMPTARGET_ACME_9_SPEED", plugins), "");
  EXPECT_NE(unknown_setting_text("LIBOMPTARGET_ACME_9_SPEED"), "");
  EXPECT_NE(unknown_setting_text("LIBOMPTARGET_CUDA_WAITS", plugins), "");
  EXPECT_EQ(unknown_setting_text("LIBOMPTARGET_XYZZY_QUUX_42"),
            "LIBOMPTARGET_XYZZY_QUUX_42 is no setting of this runtime and has no effect");
}

TEST(Settings, known_names_and_those_of_others_are_left_alone) {
  EXPECT_EQ(unknown_setting_text("LIBOMPTARGET_DEBUG"), "");
  EXPECT_EQ(unknown_setting_text("OMP_NUM_THREADS"), "");
  EXPECT_EQ(unknown_setting_text("PATH"), "");
}

TEST(Settings, settings_of_other_runtimes_that_do_nothing_here_are_named_as_such) {
  for (const char *name :
       {"LIBOMPTARGET_JIT_SKIP_OPT", "LIBOMPTARGET_RR_SAVE_OUTPUT", "OMPTARGET_DUMP_OFFLOAD_ENTRIES"})
    EXPECT_NE(unknown_setting_text(name).find("a setting of LLVM's runtime"), std::string::npos) << name;
  EXPECT_EQ(unknown_setting_text("OMPX_FORCE_SYNC_REGIONS"),
            "OMPX_FORCE_SYNC_REGIONS is a setting of AMD's runtime that this one does not have; it has no effect");
}

TEST(Settings, no_setting_of_this_runtime_is_called_foreign) {
  for (uint32_t id = 0; id < static_cast<uint32_t>(SettingId::kCount); ++id)
    EXPECT_EQ(unknown_setting_text(setting_row(static_cast<SettingId>(id)).variable), "");
}

TEST(Settings, misspelt_names_of_every_family_are_found) {
  EXPECT_EQ(unknown_setting_text("OMPX_APU_MAP"),
            "OMPX_APU_MAP is no setting of this runtime and has no effect; did you mean OMPX_APU_MAPS?");
  EXPECT_EQ(unknown_setting_text("OMPTARGET_QUERY_COUNT_MAXI"),
            "OMPTARGET_QUERY_COUNT_MAXI is no setting of this runtime and has no effect; did you mean "
            "OMPTARGET_QUERY_COUNT_MAX?");
  EXPECT_EQ(unknown_setting_text("OFFLOAD_SPEED"), "OFFLOAD_SPEED is no setting of this runtime and has no effect");
  for (const char *name : {"OMP_FLAVOUR_DEV", "OMP_FLAVOUR_DEV_3", "OMP_FLAVOUR_DEV_12"})
    EXPECT_EQ(unknown_setting_text(name), std::string(name) + " is no setting of this runtime and has no effect");
}

TEST(Settings, standard_names_without_a_device_are_left_alone) {
  for (const char *name : {"OMP_DEV", "OMP_TARGET_OFFLOAD", "OMP_FLAVOUR", "OMP_FLAVOUR_DEVICE", "OMP_FLAVOUR_ALL",
                           "OMP_FLAVOUR_DEV_X", "OMPI_DEV", "OFFLOAD", "MY_OMPX_APU_MAP", "OMPTARGET_INSTALL_PACKAGES"})
    EXPECT_EQ(unknown_setting_text(name), "") << name;
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
