// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/reported_construct.h"

#include <llvm/ADT/SmallVector.h>

#include "device/mapping_tables.h"
#include "device/runtime.h"
#include "observe/info.h"
#include "observe/source_text.h"

namespace omptarget {

void ReportedConstruct::print_tables(const ident_t *location) {
  if (!(info_mask() & info::kTable))
    return;
  const std::string place = observe::construct_place(location).to_string();
  for (int32_t i = 0; Device *const device = Runtime::get().known_device(i); ++i)
    print_mapping_table(*device, place.c_str());
}

void ReportedConstruct::trace_begin(const Call &call, DeviceId device, int32_t arguments) {
  OMPTARGET_TRACE_DEVICE(Topic::kKernel, device, "%s at %s with %d arguments, called from %p%s", call.construct,
                         observe::construct_place(call.location).to_string().c_str(), arguments, call.code,
                         call.is_nowait ? ", nowait" : "");
}

void ReportedConstruct::send_items(const MapItems &items) {
  if (!observe::reports_map_items())
    return;
  llvm::SmallVector<observe::MappedItem, 16> mapped;
  for (const MapItem &item : items)
    if (item.mapping)
      mapped.push_back({item.begin, item.mapping.mapping->target_of(item.begin), item.size, item.type});
  if (!mapped.empty())
    observe::map_items({mapped.data(), mapped.size()});
}

void ReportedConstruct::send_kernel_arguments(const MapItems &items) {
  for (const MapItem &item : items) {
    if (!item.has(map_type::kTargetParam) || item.has(map_type::kLiteral | map_type::kPrivate))
      continue;
    if (item.mapping) {
      const Mapping &mapping = *item.mapping.mapping;
      observe::mapping_left({mapping.base(), item.begin, mapping.target_of(item.begin), item.size,
                             MappingState::reported_count(mapping.state()), mapping.hold_count(), item.name},
                            observe::CountChange::kSuppressed, item.has(map_type::kHold));
    } else if (!(item.flags & kItemHostPointer) && !item.has(map_type::kImplicit)) {
      observe::mapping_missing(item.name);
    }
  }
}

} // namespace omptarget
