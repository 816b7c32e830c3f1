// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/unfit_module.h"

#include <algorithm>
#include <cinttypes>

#include "base/log.h"
#include "device/missing_variables.h"
#include "device/runtime.h"
#include "mapping/variable_name.h"
#include "region/device_copy.h"
#include "region/expansion.h"

namespace omptarget {

namespace {

Status check_none_present(Device &device, const MapItems &items) {
  for (const MapItem &item : items)
    if (const std::optional<Copy> present = find_device_copy(device, item))
      return Status::error(format("%" PRIu64 " bytes of host address 0x%016" PRIxPTR " are on device %d", present->size,
                                  static_cast<uintptr_t>(present->host), raw(device.id())))
          .about(variable_text(present->name, present->size));
  return Status::ok();
}

bool is_variable(const Entry &entry) {
  return entry.kind == EntryKind::kVariable || entry.kind == EntryKind::kLinkVariable;
}

} // namespace

Result<bool> is_for_host(Device &device, const Call &call, const MapItems &items) {
  if (Runtime::get().is_mandatory())
    return false;
  const std::string module = device.unfit_module_of(call.code);
  if (module.empty())
    return false;
  OMPTARGET_TRY_DURING(check_none_present(device, items),
                       "no image of %s fits the device, so that the host does the constructs of that module",
                       module.c_str());
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device.id(), "%s of %s is the host's: no image of it fits the device",
                         call.construct, module.c_str());
  return true;
}

// A pointer that is to be attached, or that refers to a linked variable, is looked up besides what it points to.
Status check_variables(Device &device, const MapItems &items) {
  for (const MapItem &item : items) {
    if (item.has(map_type::kLiteral | map_type::kPrivate))
      continue;
    Status status = check_variable(device, item.begin, std::max<int64_t>(item.size, 1));
    if (status.is_ok() && item.has(map_type::kPtrAndObj | map_type::kAttach))
      status = check_variable(device, item.base, sizeof(void *));
    if (!status)
      return std::move(status).about(variable_text(item.name, item.size));
  }
  return Status::ok();
}

Status check_host_can_run(Device &device, const OffloadLibrary *library, const MapList &list) {
  MapItems items;
  OMPTARGET_TRY(gather_items(list, items));
  OMPTARGET_TRY(check_none_present(device, items));
  for (size_t i = 0; library && i < library->entries.size(); ++i) {
    const Entry &entry = library->entries[i];
    if (is_variable(entry) && device.map().find(entry.address, 1).is_contained)
      return Status::error(format("the variable %s is on device %d", entry.name, raw(device.id())));
  }
  return Status::ok();
}

} // namespace omptarget
