// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/mapping_tables.h"

#include <vector>

#include "device/device.h"
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

} // namespace omptarget
