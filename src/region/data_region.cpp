// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/data_region.h"

#include "base/log.h"
#include "region/map_arguments.h"
#include "region/reported_construct.h"
#include "region/transfer.h"

namespace omptarget {

Status enter_data(const Call &call, const MapList &list) {
  OMPTARGET_TRY_ASSIGN(Device *const device, device_for(call.device_number));
  if (!device)
    return Status::ok();
  const ReportedConstruct reported(call, *device, observe::ConstructKind::kEnterData, list);
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device->id(), "%s with %d arguments", call.construct, list.count);
  MapItems items;
  OMPTARGET_TRY(gather_items(list, items));
  DeviceWork work(*device);
  OMPTARGET_TRY(work.enter(items));
  DeviceWork::return_addresses(items, list.bases);
  return work.finish();
}

Status exit_data(const Call &call, const MapList &list) {
  OMPTARGET_TRY_ASSIGN(Device *const device, device_for(call.device_number));
  if (!device)
    return Status::ok();
  const ReportedConstruct reported(call, *device, observe::ConstructKind::kExitData, list);
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device->id(), "%s with %d arguments", call.construct, list.count);
  MapItems items;
  OMPTARGET_TRY(gather_items(list, items));
  return DeviceWork(*device).exit(items, false);
}

Status update_data(const Call &call, const MapList &list) {
  OMPTARGET_TRY_ASSIGN(Device *const device, device_for(call.device_number));
  if (!device)
    return Status::ok();
  const ReportedConstruct reported(call, *device, observe::ConstructKind::kUpdate, list);
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device->id(), "%s with %d arguments", call.construct, list.count);
  MapItems items;
  OMPTARGET_TRY(gather_items(list, items));
  return DeviceWork(*device).update(items);
}

} // namespace omptarget
