// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/data_region.h"

#include <cstring>

#include "base/log.h"
#include "region/deferred.h"
#include "region/lost_data.h"
#include "region/map_arguments.h"
#include "region/unfit_module.h"

namespace omptarget {

namespace {

/// Writes device addresses back to the caller's bases (use_device_ptr, use_device_addr).
void return_addresses(const MapItems &items, void **bases) {
  for (const MapItem &item : items) {
    if (!item.has(map_type::kReturnParam) || item.argument < 0)
      continue;
    HostPtr base = base_of(item);
    // What is not present keeps its host address (OpenMP 5.2, section 5.4.8), or with fb_nullify becomes null (6.1).
    if (!item.mapping && !(item.flags & kItemHostPointer)) {
      observe::mapping_missing(item.name);
      if (item.has(map_type::kNullify))
        base = HostPtr{};
    }
    const std::optional<DevicePtr> target = item.mapping ? target_of(item.mapping, base) : std::nullopt;
    bases[item.argument] = target ? raw(*target) : raw(base);
  }
}

/// The device of a data construct, or null if nothing is to be done on one; gathers the items.
Result<DeviceUse> prepare(const Call &call, const MapList &list, MapItems &items) {
  OMPTARGET_TRY_ASSIGN(DeviceUse device, device_for(call.device_number));
  if (!device)
    return device;
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device->id(), "%s with %d arguments", call.construct, list.count);
  OMPTARGET_TRY(gather_items(list, items, call.code));
  if (device->has_unfit_modules()) [[unlikely]] {
    OMPTARGET_TRY(find_offsets(items, call.code));
    OMPTARGET_TRY_ASSIGN(const bool is_hosts, is_for_host(*device, call, items));
    if (is_hosts)
      return DeviceUse();
  }
  return device;
}

} // namespace

Status enter_data(const Call &call, const MapList &list) {
  MapItems items;
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, prepare(call, list, items));
  if (!device)
    return Status::ok();
  return carry_out(*device, call, {observe::ConstructKind::kEnterData, list}, [&](DeviceWork &work) {
    OMPTARGET_TRY(work.enter(items));
    ReportedConstruct::report_items(items);
    return_addresses(items, list.bases);
    return Status::ok();
  });
}

Status exit_data(const Call &call, const MapList &list) {
  MapItems items;
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, prepare(call, list, items));
  if (!device)
    return leave_ended_device(call, list);
  return carry_out(*device, call, {observe::ConstructKind::kExitData, list}, [&](DeviceWork &work) {
    OMPTARGET_TRY(work.start_exit(items, false));
    ReportedConstruct::report_items(items);
    return Status::ok();
  });
}

Status update_data(const Call &call, const MapList &list) {
  MapItems items;
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, prepare(call, list, items));
  if (!device)
    return update_ended_device(call, list);
  OMPTARGET_TRY(find_offsets(items, call.code));
  return carry_out(*device, call, {observe::ConstructKind::kUpdate, list},
                   [&](DeviceWork &work) { return work.start_update(items); });
}

} // namespace omptarget
