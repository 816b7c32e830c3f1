// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/stack_setting.h"

#include <cctype>
#include <charconv>

#include "base/format.h"
#include "base/settings.h"
#include "base/text_output.h"

namespace omptarget {

namespace {

constexpr uint64_t kMost = uint64_t{1} << 30;

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.remove_suffix(1);
  return text;
}

} // namespace

std::optional<uint64_t> stack_size_of(std::string_view text) {
  text = without_spaces(text);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit = without_spaces(text.substr(static_cast<size_t>(end - text.data())));
  if (error != std::errc() || unit.size() > 1 || number > kMost)
    return std::nullopt;
  constexpr std::string_view kUnits = "BKMG";
  const size_t power =
      unit.empty() ? 1 : kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0]))));
  if (power == kUnits.npos)
    return std::nullopt;
  const uint64_t bytes = number << (10 * power);
  return bytes > 0 && bytes <= kMost ? std::optional(bytes) : std::nullopt;
}

StackSetting stack_setting(int32_t device) {
  if (setting_is_set(SettingId::kStackSize)) {
    const int64_t value = setting_integer(SettingId::kStackSize);
    if (value > 0 && value <= static_cast<int64_t>(kMost))
      return {static_cast<uint64_t>(value), setting_row(SettingId::kStackSize).variable};
    warn_about_setting(SettingId::kStackSize,
                       format("%lld is not between 1 and %llu; ignored", static_cast<long long>(value),
                              static_cast<unsigned long long>(kMost)));
    return {};
  }
  const auto setting = device_setting(SettingId::kDeviceStackSize, device);
  if (!setting)
    return {};
  const auto bytes = stack_size_of(setting->text);
  if (!bytes)
    warn_about_device_setting(SettingId::kDeviceStackSize, *setting,
                              format("'%s' is no size from 1B to 1G; ignored", shown_value(setting->text).c_str()));
  return {bytes.value_or(0), setting->variable};
}

} // namespace omptarget
