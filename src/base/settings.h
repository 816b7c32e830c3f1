// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The environment variables of the runtime: one table (settings.def), typed access, warnings for values that make no
// sense. Knows nothing of what a setting is for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace omptarget {

enum class SettingType { kFlag, kInteger, kNumber, kText };

/// One row of the table.
struct SettingRow {
  const char *variable; ///< name of the environment variable
  SettingType type;
  const char *default_value; ///< as it would be written in the environment
  const char *reader;        ///< who reads it
  const char *help;
};

enum class SettingId : uint32_t {
#define OMPTARGET_SETTING(id, variable, type, default_value, reader, help) id,
#include "base/settings.def"
#undef OMPTARGET_SETTING
  kCount
};

/// The row of a setting.
const SettingRow &setting_row(SettingId id);

/// The value in the environment, or null if it is unset or empty, or if the process is privileged and the setting names
/// files or prints addresses. Read at each call: keep what is needed often.
const char *setting_text(SettingId id);

/// The boolean that a text stands for, if any: true, yes, on, 1; false, no, off, 0, in any case.
std::optional<bool> flag_of(const char *text);

/// The value, or the default if it is unset or makes no sense; the latter is warned about, once. Any thread.
bool setting_flag(SettingId id);
int64_t setting_integer(SettingId id);
double setting_number(SettingId id);

/// An integer setting's value if it lies between the two; otherwise the default, and a warning, once.
int64_t setting_in(SettingId id, int64_t least, int64_t most);

/// Returns the setting as an integer if it lies between these; else `otherwise`, with a warning if it is set to
/// anything else.
int64_t setting_or(SettingId id, int64_t least, int64_t most, int64_t otherwise);

/// Returns whether the variable is set to something.
bool setting_is_set(SettingId id);

/// A device-specific variable that is set, and its value.
struct DeviceSetting {
  std::string variable;
  const char *text;
};
/// Returns a setting whose row is NAME_DEV, for the device of this number: NAME_DEV_<device>, else NAME_DEV, else
/// NAME_ALL (OpenMP 6.0, section 4.1).
std::optional<DeviceSetting> device_setting(SettingId id, int32_t device);
/// Returns the same as an integer, 0 if there is none. If it does not lie between the two, warns once and returns 0.
int64_t device_setting_in(SettingId id, int32_t device, int64_t least, int64_t most);
/// Prints one warning about the value of such a variable to stderr, the first time only.
void warn_about_device_setting(SettingId id, const DeviceSetting &setting, const std::string &problem);

/// Prints one warning about a setting's value to stderr, the first time only.
void warn_about_setting(SettingId id, const std::string &problem);

/// Returns a remark on a variable of the environment whose name looks like a setting of this runtime: LIBOMPTARGET_...,
/// OMPTARGET_..., OMPX_..., OFFLOAD_..., OMP_..._DEV and OMP_..._DEV_<number>. Empty if it is one, or has nothing to do
/// with it, or is named after one of these plugins, LIBOMPTARGET_NAME_..., which reads it.
std::string unknown_setting_text(const std::string &variable, std::span<const std::string> plugins = {});

/// Warns about such variables, the first time only.
void warn_about_unknown_settings(std::span<const std::string> plugins);

} // namespace omptarget
