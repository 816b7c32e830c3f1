// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/mapping_notes.h"

#include "base/settings.h"
#include "device/device.h"
#include "mapping/variable_name.h"
#include "observe/info.h"

namespace omptarget {

namespace {

bool is_wanted() {
  const char *const text = setting_text(SettingId::kCheck);
  const std::string_view checks = text ? text : "";
  if (!checks.empty() && checks != "mapping" && checks != "0")
    warn_about_setting(SettingId::kCheck, "'" + std::string(checks) + "' is no check; there is 'mapping'");
  return checks == "mapping";
}

/// Returns the variable as the compiler names it, or else the place of the data.
std::string text_of(const char *name, HostPtr begin, int64_t size) {
  const VariableName variable = parse_variable_name(name);
  if (variable.name.empty())
    return format("the %lld bytes at %p", static_cast<long long>(size), raw(begin));
  const std::string place = place_text(variable);
  return format("%.*s (%lld bytes)", static_cast<int>(variable.name.size()), variable.name.data(),
                static_cast<long long>(size)) +
         (place.empty() ? "" : ", declared" + place);
}

/// Returns how often the data were entered and not left; 0 of global variables, and of what the program associated.
uint32_t references(const HostDataToTargetMap::Snapshot &entry) {
  return (entry.dynamic_count == UINT32_MAX ? 0 : entry.dynamic_count) + entry.hold_count;
}

} // namespace

bool notes_mapping() {
  static const bool wanted = is_wanted();
  return wanted;
}

void note_absent(Device &device, const char *construct, const MapItems &items) {
  constexpr uint64_t kNoData = map_type::kLiteral | map_type::kPrivate | map_type::kAttach | map_type::kNonContiguous |
                               map_type::kImplicit | map_type::kPtrAndObj;
  for (const MapItem &item : items) {
    if (item.has(kNoData) || item.argument < 0 || item.size == 0 || device.uses_host_memory())
      continue;
    const Found found = device.map().find(item.begin, item.size);
    if (found.is_contained)
      continue;
    print_line(format("omptarget note: %s copies and releases nothing of %s on device %d: %s", construct,
                      text_of(item.name, item.begin, item.size).c_str(), raw(device.id()),
                      found.is_overlapped ? "only a part of it is mapped" : "it is not mapped"));
  }
}

void keep_names(Device &device, DataNames &names) {
  for (const HostDataToTargetMap::Snapshot &entry : device.map().snapshot())
    if (entry.name && references(entry) != 0)
      names[entry.begin] = text_of(entry.name, entry.begin, entry.end - entry.begin);
}

void note_never_released(Device &device, const DataNames &names) {
  for (const HostDataToTargetMap::Snapshot &entry : device.map().snapshot()) {
    const uint32_t count = references(entry);
    if (count == 0)
      continue;
    const auto kept = names.find(entry.begin);
    const std::string text =
        entry.name || kept == names.end() ? text_of(entry.name, entry.begin, entry.end - entry.begin) : kept->second;
    print_line(format("omptarget note: %s is still mapped when device %d ends: it was entered %u time%s more often "
                      "than left. 'target exit data map(release: ...)' leaves it",
                      text.c_str(), raw(device.id()), count, count == 1 ? "" : "s"));
  }
}

} // namespace omptarget
