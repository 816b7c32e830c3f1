// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/mapping_tables.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "device/device.h"
#include "mapping/variable_name.h"
#include "observe/construct_events.h"
#include "observe/info.h"

namespace omptarget {

void print_mapping_table(Device &device, const char *place) {
  if (!(info_mask() & info::kTable))
    return;
  std::vector<observe::TableRow> rows;
  for (const HostDataToTargetMap::Snapshot &entry : device.map().snapshot())
    rows.push_back(
        {entry.begin, entry.target_begin, entry.end - entry.begin, entry.dynamic_count, entry.hold_count, entry.name});
  observe::print_table(device.id(), place, rows);
}

std::string mapped_memory_text(Device &device) {
  constexpr double kMega = 1e6;
  constexpr size_t kShown = 3;
  std::vector<HostDataToTargetMap::Snapshot> mappings = device.map().snapshot();
  std::erase_if(mappings, [](const auto &entry) { return entry.target_begin == DevicePtr::kNull; });
  const auto size = [](const HostDataToTargetMap::Snapshot &entry) {
    return static_cast<double>(entry.end - entry.begin);
  };
  std::sort(mappings.begin(), mappings.end(), [&](const auto &a, const auto &b) { return size(a) > size(b); });
  double bytes = 0;
  for (const HostDataToTargetMap::Snapshot &entry : mappings)
    bytes += size(entry);
  std::string text =
      format("device %d has %.2f MB of mapped data in %zu mappings", raw(device.id()), bytes / kMega, mappings.size());
  for (size_t i = 0; i < std::min(kShown, mappings.size()); ++i) {
    const std::string_view name = parse_variable_name(mappings[i].name).name;
    text += format("%s%.*s %.2f MB", i == 0 ? ", the largest: " : ", ", static_cast<int>(name.size()), name.data(),
                   size(mappings[i]) / kMega);
  }
  if (const auto statistics = device.plugin_device().memory_statistics())
    text +=
        format("; its plugin has %.2f MB in use and keeps %.2f MB", static_cast<double>(statistics->used_bytes) / kMega,
               static_cast<double>(statistics->kept_bytes) / kMega);
  return text;
}

} // namespace omptarget
