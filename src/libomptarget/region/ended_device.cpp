// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/ended_device.h"

#include <cinttypes>

#include "device/runtime.h"
#include "mapping/non_contiguous.h"
#include "mapping/plan.h"
#include "mapping/variable_name.h"
#include "observe/info.h"
#include "region/device_copy.h"
#include "region/map_arguments.h"

namespace omptarget {

namespace {

constexpr const char *kNotCopiedBack = ": they are not copied back";

/// Says what is lost, or fails with it if offloading is mandatory.
Status lose(const Call &call, const Device &device, const Copy &lost, const char *consequence) {
  std::string text =
      format("%s: device %d has ended, since the program ends, and with it %" PRIu64
             " bytes of host address 0x%016" PRIxPTR "%s",
             place_of(call).c_str(), raw(device.id()), lost.size, static_cast<uintptr_t>(lost.host), consequence);
  Status status = Status::error(std::move(text)).about(variable_text(lost.name, lost.size));
  if (Runtime::get().is_mandatory())
    return status;
  for (const FailureLine &line : status.failure().lines)
    print_error(line.text);
  if (!status.failure().about.empty())
    print_error(status.failure().about);
  status.consume();
  return Status::ok();
}

Status lose_all(const Call &call, const Device &device, const llvm::SmallVectorImpl<Copy> &copies) {
  for (const Copy &copy : copies)
    OMPTARGET_TRY(lose(call, device, copy, kNotCopiedBack));
  return Status::ok();
}

/// As at the end of a construct, except that the device's memory is gone already.
void leave(HostDataToTargetMap &map, const LeftMappings &all) {
  for (const LeftMapping &left : all)
    (void)leave_mapping(map, left);
}

MappingPolicy policy_of(const Device &device) {
  MappingPolicy policy;
  policy.use_host_memory = device.uses_host_memory();
  return policy;
}

} // namespace

Status leave_ended_device(const Call &call, const MapList &list) {
  Device *const device = ended_device_for(call.device_number);
  if (!device)
    return Status::ok();
  MapItems items;
  OMPTARGET_TRY(gather_items(list, items));
  ExitPlan plan;
  Status status = plan_exit(device->map(), policy_of(*device), items, false, plan);
  if (status.is_ok())
    status = lose_all(call, *device, plan.copies);
  leave(device->map(), plan.left);
  return status;
}

Status update_ended_device(const Call &call, const MapList &list) {
  Device *const device = ended_device_for(call.device_number);
  if (!device)
    return Status::ok();
  MapItems items;
  OMPTARGET_TRY(gather_items(list, items, call.code));
  OMPTARGET_TRY(find_offsets(items, call.code));
  return for_each_part(items, [&](const MapItem &item, HostPtr begin, int64_t size) {
    if (!item.has(map_type::kFrom) || size == 0)
      return Status::ok();
    OMPTARGET_TRY(check_range(item, begin, size));
    const Found found = device->map().find(begin, size);
    return found.is_contained ? lose(call, *device, {found.ref, begin, size, item.name}, kNotCopiedBack) : Status::ok();
  });
}

Status run_without_ended_device(const Call &call, const MapList &list) {
  Device *const device = ended_device_for(call.device_number);
  if (!device)
    return Status::ok();
  MapItems items;
  OMPTARGET_TRY(gather_items(list, items));
  for (const MapItem &item : items) {
    const std::optional<Copy> present = find_device_copy(*device, item);
    if (!present || (item.has(map_type::kAlways) && item.has(map_type::kTo)))
      continue;
    OMPTARGET_TRY(lose(call, *device, *present, ": the host runs the region with its own values of them"));
  }
  return Status::ok();
}

} // namespace omptarget
