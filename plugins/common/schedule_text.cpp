// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/schedule_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <utility>

#include "base/format.h"
#include "base/settings.h"
#include "base/text_output.h"

namespace omptarget {

namespace {

constexpr uint32_t kMonotonic = 0x80000000; // of omp_sched_t

/// Takes what the text begins with, up to the character, out of it. Empty if it is not there.
std::string_view take_up_to(std::string_view &text, char end) {
  const size_t at = text.find(end);
  if (at == text.npos)
    return {};
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + 1);
  return taken;
}

/// Returns 0 for what is no chunk.
uint32_t chunk_of(std::string_view text) {
  int32_t chunk = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), chunk);
  return error == std::errc() && end == text.data() + text.size() && chunk > 0 ? static_cast<uint32_t>(chunk) : 0;
}

} // namespace

std::optional<Schedule> schedule_of(std::string_view text) {
  std::string small;
  for (const char byte : text)
    if (std::isspace(static_cast<unsigned char>(byte)) == 0)
      small += static_cast<char>(std::tolower(static_cast<unsigned char>(byte)));
  std::string_view rest = small;
  const std::string_view modifier = take_up_to(rest, ':');
  if (!modifier.empty() && modifier != "monotonic" && modifier != "nonmonotonic")
    return std::nullopt;
  const bool has_chunk = rest.find(',') != rest.npos;
  const std::string_view name = has_chunk ? take_up_to(rest, ',') : rest;
  const uint32_t chunk = has_chunk ? chunk_of(rest) : 0;
  if (has_chunk && chunk == 0)
    return std::nullopt;
  constexpr std::pair<std::string_view, uint32_t> kKinds[] = {
      {"static", 1}, {"dynamic", 2}, {"guided", 3}, {"auto", 4}};
  for (const auto &[known, kind] : kKinds)
    if (name == known)
      return Schedule{kind | (modifier == "monotonic" ? kMonotonic : 0), chunk};
  return std::nullopt;
}

std::optional<Schedule> device_schedule(int32_t device) {
  const auto setting = device_setting(SettingId::kDeviceSchedule, device);
  if (!setting)
    return std::nullopt;
  const auto schedule = schedule_of(setting->text);
  if (!schedule)
    warn_about_device_setting(
        SettingId::kDeviceSchedule, *setting,
        format("'%s' is no schedule such as dynamic,4; ignored", shown_value(setting->text).c_str()));
  return schedule;
}

} // namespace omptarget
