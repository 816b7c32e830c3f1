// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/settings.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <strings.h>

#include "base/format.h"

namespace omptarget {

namespace {

constexpr SettingRow kRows[] = {
#define OMPTARGET_SETTING(id, variable, type, default_value, reader, help)                                             \
  {variable, SettingType::k##type, default_value, reader, help},
#include "base/settings.def"
#undef OMPTARGET_SETTING
};

constinit std::atomic<bool> warned[static_cast<size_t>(SettingId::kCount)] = {};

bool parse_flag(const char *text, bool &value) {
  for (const char *yes : {"true", "yes", "on", "1"})
    if (strcasecmp(text, yes) == 0)
      return value = true, true;
  for (const char *no : {"false", "no", "off", "0"})
    if (strcasecmp(text, no) == 0)
      return value = false, true;
  return false;
}

bool parse_integer(const char *text, int64_t &value) {
  char *end = nullptr;
  errno = 0;
  value = std::strtoll(text, &end, 0);
  return end != text && *end == '\0' && errno == 0;
}

bool parse_number(const char *text, double &value) {
  char *end = nullptr;
  errno = 0;
  value = std::strtod(text, &end);
  return end != text && *end == '\0' && errno == 0;
}

template <typename T, typename Parse> T parsed(SettingId id, Parse parse, const char *expected) {
  T value{};
  if (const char *text = setting_text(id)) {
    if (parse(text, value))
      return value;
    warn_about_setting(id, format("'%s' is no %s; the default '%s' is used", text, expected,
                                  setting_row(id).default_value));
  }
  parse(setting_row(id).default_value, value);
  return value;
}

} // namespace

const SettingRow &setting_row(SettingId id) { return kRows[static_cast<size_t>(id)]; }

const char *setting_text(SettingId id) {
  const char *value = std::getenv(setting_row(id).variable);
  return value && *value ? value : nullptr;
}

bool setting_flag(SettingId id) { return parsed<bool>(id, parse_flag, "boolean (true or false)"); }
int64_t setting_integer(SettingId id) { return parsed<int64_t>(id, parse_integer, "integer"); }
double setting_number(SettingId id) { return parsed<double>(id, parse_number, "number"); }

int64_t setting_in(SettingId id, int64_t least, int64_t most) {
  const int64_t value = setting_integer(id);
  if (value >= least && value <= most)
    return value;
  int64_t other = least;
  parse_integer(setting_row(id).default_value, other);
  warn_about_setting(id, format("%lld is not between %lld and %lld; the default %lld is used",
                                static_cast<long long>(value), static_cast<long long>(least),
                                static_cast<long long>(most), static_cast<long long>(other)));
  return other;
}

bool setting_is_set(SettingId id) { return setting_text(id) != nullptr; }

void warn_about_setting(SettingId id, const std::string &problem) {
  if (warned[static_cast<size_t>(id)].exchange(true, std::memory_order_relaxed))
    return;
  std::fprintf(stderr, "omptarget warning: %s: %s\n", setting_row(id).variable, problem.c_str());
}

} // namespace omptarget
