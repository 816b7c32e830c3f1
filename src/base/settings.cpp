// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/settings.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <strings.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/text_output.h"

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
  const std::optional<bool> flag = flag_of(text);
  value = flag.value_or(false);
  return flag.has_value();
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
    warn_about_setting(id, format("'%s' is no %s; the default '%s' is used", shown_value(text).c_str(), expected,
                                  setting_row(id).default_value));
  }
  parse(setting_row(id).default_value, value);
  return value;
}

} // namespace

/// Returns whether a setting names files, or prints what only the process should know, such as its addresses.
static bool is_for_ordinary_processes(SettingId id) {
  return id == SettingId::kPluginPath || id == SettingId::kDebugFile || id == SettingId::kCheckFile ||
         id == SettingId::kProfile || id == SettingId::kDebug || id == SettingId::kInfo || id == SettingId::kRanges ||
         id == SettingId::kKernelTrace || id == SettingId::kProfileFile || id == SettingId::kKeepImages ||
         id == SettingId::kJitCompiler || id == SettingId::kJitCache || id == SettingId::kRecord ||
         id == SettingId::kTrackAllocations || id == SettingId::kTrackLaunches;
}

std::optional<bool> flag_of(const char *text) {
  for (const char *yes : {"true", "yes", "on", "1"})
    if (strcasecmp(text, yes) == 0)
      return true;
  for (const char *no : {"false", "no", "off", "0"})
    if (strcasecmp(text, no) == 0)
      return false;
  return std::nullopt;
}

const SettingRow &setting_row(SettingId id) { return kRows[static_cast<size_t>(id)]; }

const char *setting_text(SettingId id) {
  const char *value = std::getenv(setting_row(id).variable);
  if (!value || !*value)
    return nullptr;
  // The user who starts a privileged process must not choose what it loads, writes and tells.
  return is_for_ordinary_processes(id) && getauxval(AT_SECURE) != 0 ? nullptr : value;
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

int64_t setting_or(SettingId id, int64_t least, int64_t most, int64_t otherwise) {
  const char *text = setting_text(id);
  int64_t value = 0;
  if (!text || (parse_integer(text, value) && value >= least && value <= most))
    return text ? value : otherwise;
  warn_about_setting(id,
                     format("'%s' is no integer between %lld and %lld; the default is used", shown_value(text).c_str(),
                            static_cast<long long>(least), static_cast<long long>(most)));
  return otherwise;
}

bool setting_is_set(SettingId id) { return setting_text(id) != nullptr; }

static void warn_once(SettingId id, const char *variable, const std::string &problem) {
  if (warned[static_cast<size_t>(id)].exchange(true, std::memory_order_relaxed))
    return;
  write_error_line(format("omptarget warning: %s: %s", variable, problem.c_str()));
}

void warn_about_setting(SettingId id, const std::string &problem) { warn_once(id, setting_row(id).variable, problem); }

constexpr std::string_view kDeviceSuffix = "_DEV", kAllSuffix = "_ALL";

std::optional<DeviceSetting> device_setting(SettingId id, int32_t device) {
  const std::string of_devices = setting_row(id).variable;
  const std::string name = of_devices.substr(0, of_devices.size() - kDeviceSuffix.size());
  for (std::string &variable :
       std::array{of_devices + format("_%d", device), of_devices, name + std::string(kAllSuffix)})
    if (const char *const text = std::getenv(variable.c_str()); text && *text)
      return DeviceSetting{std::move(variable), text};
  return std::nullopt;
}

int64_t device_setting_in(SettingId id, int32_t device, int64_t least, int64_t most) {
  const auto setting = device_setting(id, device);
  int64_t value = 0;
  if (!setting || (parse_integer(setting->text, value) && value >= least && value <= most))
    return value;
  warn_about_device_setting(id, *setting,
                            format("'%s' is no integer between %lld and %lld; ignored",
                                   shown_value(setting->text).c_str(), static_cast<long long>(least),
                                   static_cast<long long>(most)));
  return 0;
}

void warn_about_device_setting(SettingId id, const DeviceSetting &setting, const std::string &problem) {
  warn_once(id, setting.variable.c_str(), problem);
}

namespace {

constexpr std::string_view kPrefix = "LIBOMPTARGET_";
/// Prefixes of names that only offloading runtimes of OpenMP read.
constexpr std::string_view kProject = "OMPTARGET_"; // a few settings; scripts and build files have such names, too
constexpr std::string_view kPrefixes[] = {kPrefix, kProject, "OMPX_", "OFFLOAD_"};
constexpr std::string_view kStandard = "OMP_";

/// Settings of other runtimes that mean nothing here.
constexpr std::pair<std::string_view, const char *> kForeign[] = {
    {"LIBOMPTARGET_NEXTGEN_PLUGINS", "LLVM's"},
    {"LIBOMPTARGET_FORCE_SYNCHRONIZE", "LLVM's"},
    {"LIBOMPTARGET_RR_SAVE_OUTPUT", "LLVM's"},
    {"LIBOMPTARGET_RR_DEVMEM_SIZE", "LLVM's"},
    {"LIBOMPTARGET_JIT_SKIP_OPT", "LLVM's"},
    {"LIBOMPTARGET_JIT_REPLACEMENT_OBJECT", "LLVM's"},
    {"LIBOMPTARGET_JIT_REPLACEMENT_MODULE", "LLVM's"},
    {"LIBOMPTARGET_JIT_PRE_OPT_IR_MODULE", "LLVM's"},
    {"LIBOMPTARGET_JIT_POST_OPT_IR_MODULE", "LLVM's"},
    {"LIBOMPTARGET_RPC_ADDRESS", "LLVM's"},
    {"LIBOMPTARGET_RPC_ALLOCATOR_MAX", "LLVM's"},
    {"LIBOMPTARGET_RPC_BLOCK_SIZE", "LLVM's"},
    {"LIBOMPTARGET_RPC_LATENCY", "LLVM's"},
    {"OMPTARGET_DUMP_OFFLOAD_ENTRIES", "LLVM's"},
    {"LIBOMPTARGET_AMDGPU_ADJUST_TEAMS", "AMD's"},
    {"LIBOMPTARGET_AMDGPU_DATA_BUSYWAIT", "AMD's"},
    {"LIBOMPTARGET_AMDGPU_KERNEL_BUSYWAIT", "AMD's"},
    {"LIBOMPTARGET_HOSTEXEC_TRACE", "AMD's"},
    {"OMPX_DGPU_MAPS", "AMD's"},
    {"OMPX_DISABLE_MAPS", "AMD's"},
    {"OMPX_DISABLE_USM_MAPS", "AMD's"},
    {"OMPX_EAGER_ZERO_COPY_MAPS", "AMD's"},
    {"OMPX_FORCE_SYNC_REGIONS", "AMD's"},
    {"OMPX_STRICT_SANITY_CHECKS", "AMD's"},
};

/// Settings of earlier versions and what there is instead.
constexpr std::pair<std::string_view, const char *> kReplaced[] = {
    {"LIBOMPTARGET_STREAM_ORDERED_ALLOCATION",
     "freed memory is kept for reuse instead (LIBOMPTARGET_MEMORY_MANAGER_LIMIT, LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD)"},
};

/// Number of characters to insert, delete or replace.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

} // namespace

/// Returns whether the variable is named after a plugin that is none of ours: LIBOMPTARGET_NAME_...
static bool is_of_plugin(const std::string &variable, std::span<const std::string> plugins) {
  return std::any_of(plugins.begin(), plugins.end(), [&](std::string prefix) {
    std::transform(prefix.begin(), prefix.end(), prefix.begin(),
                   [](unsigned char byte) { return std::isalnum(byte) ? static_cast<char>(std::toupper(byte)) : '_'; });
    prefix = std::string(kPrefix) + prefix + "_";
    return variable.starts_with(prefix) && std::none_of(std::begin(kRows), std::end(kRows), [&](const SettingRow &row) {
             return std::string_view(row.variable).starts_with(prefix);
           });
  });
}

namespace {

/// A name without the number of its device: "OMP_NUM_TEAMS_DEV" and "_3" of "OMP_NUM_TEAMS_DEV_3".
std::pair<std::string_view, std::string_view> without_device(std::string_view name) {
  constexpr std::string_view kDevice = "_DEV_";
  const size_t at = name.rfind(kDevice);
  if (!name.starts_with(kStandard) || at == std::string_view::npos)
    return {name, {}};
  const std::string_view number = name.substr(at + kDevice.size());
  const bool is_number = !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? std::pair{name.substr(0, at + kDevice.size() - 1), name.substr(at + kDevice.size() - 1)}
                   : std::pair{name, std::string_view()};
}

/// The row whose name is nearest to this one and ends alike, unless more than a third of the name would be guessed.
const SettingRow *nearest_row(std::string_view name, std::string_view prefix, std::string_view ending) {
  const SettingRow *nearest = nullptr;
  size_t least = (name.size() - prefix.size()) / 3 + 2;
  for (const SettingRow &row : kRows) {
    const std::string_view variable = row.variable;
    if (!variable.starts_with(prefix) || !variable.ends_with(ending))
      continue;
    if (const size_t steps = distance(name, variable); steps < least) {
      nearest = &row;
      least = steps;
    }
  }
  return nearest;
}

} // namespace

std::string unknown_setting_text(const std::string &variable, std::span<const std::string> plugins) {
  const auto [name, device] = without_device(variable);
  const auto *const prefix = std::find_if(std::begin(kPrefixes), std::end(kPrefixes),
                                          [name = name](std::string_view begin) { return name.starts_with(begin); });
  const bool is_ours = prefix != std::end(kPrefixes);
  const std::string_view standard = name.starts_with(kStandard) ? name.substr(kStandard.size()) : std::string_view();
  const char *const ending = standard.ends_with("_DEV") ? "_DEV" : standard.ends_with("_ALL") ? "_ALL" : "";
  if ((!is_ours && !*ending) || is_of_plugin(variable, plugins))
    return {};
  for (const SettingRow &row : kRows)
    if (name == row.variable)
      return {};
  for (const auto &[foreign, owner] : kForeign)
    if (variable == foreign)
      return format("%s is a setting of %s runtime that this one does not have; it has no effect", variable.c_str(),
                    owner);
  for (const auto &[replaced, instead] : kReplaced)
    if (variable == replaced)
      return variable + " has no effect any more: " + instead;
  const SettingRow *const nearest = nearest_row(name, is_ours ? *prefix : kStandard, ending);
  if (!nearest && (std::string_view(ending) == "_ALL" || (is_ours && *prefix == kProject)))
    return {}; // such a name may be anybody's
  return variable + " is no setting of this runtime and has no effect" +
         (nearest ? format("; did you mean %s%s?", nearest->variable, std::string(device).c_str()) : std::string());
}

void warn_about_unknown_settings(std::span<const std::string> plugins) {
  static std::atomic<bool> is_done{false};
  if (is_done.exchange(true, std::memory_order_relaxed))
    return;
  for (char **variable = environ; variable && *variable; ++variable) {
    const std::string_view text = *variable;
    const std::string problem = unknown_setting_text(std::string(text.substr(0, text.find('='))), plugins);
    if (!problem.empty())
      write_error_line("omptarget warning: " + problem);
  }
}

} // namespace omptarget
