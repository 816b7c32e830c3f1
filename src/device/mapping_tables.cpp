// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/mapping_tables.h"

#include "device/runtime.h"
#include "observe/construct_events.h"
#include "observe/info.h"
#include "observe/source_text.h"

namespace omptarget {

namespace {

void print_table_of(Device &device, const char *place) {
  std::vector<observe::TableRow> rows;
  for (const HostDataToTargetMap::Snapshot &entry : device.map().snapshot())
    rows.push_back({entry.begin, entry.target_begin, entry.end - entry.begin, entry.dynamic_count, entry.hold_count,
                    entry.name});
  observe::print_table(device.id(), place, rows);
}

} // namespace

void print_mapping_tables(const ident_t *location) {
  if (!(info_mask() & info::kTable))
    return;
  const std::string place = observe::construct_place(location).to_string();
  for (int32_t i = 0; Device *const device = Runtime::get().known_device(i); ++i)
    print_table_of(*device, place.c_str());
}

void print_mapping_table_at_end(Device &device) {
  if (info_mask() & info::kTable)
    print_table_of(device, "libomptarget:0:0");
}

} // namespace omptarget
