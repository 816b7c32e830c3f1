// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/ended_device.h"

#include <cinttypes>
#include <llvm/ADT/STLExtras.h>

#include "device/runtime.h"
#include "mapping/copies.h"
#include "mapping/non_contiguous.h"
#include "mapping/variable_name.h"
#include "observe/info.h"
#include "region/device_copy.h"
#include "region/expansion.h"

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

/// Releases the arguments' references, as Exiting does. The device's memory is gone already. lost: gets
/// what would be copied back.
void release(HostDataToTargetMap &map, const MapArguments &arguments, llvm::SmallVectorImpl<Copy> &lost) {
  llvm::SmallVector<MappingRef, 8> unused;
  for (size_t i = 0; i < arguments.refs.size(); ++i) {
    const MappingRef ref = arguments.refs[i].ref();
    if (!arguments.refs[i].is_counted)
      continue;
    const bool is_deleted = arguments.has(i, map_type::kDelete);
    const Released released =
        arguments.has(i, map_type::kHold) ? map.rare_uses().release_hold(ref, is_deleted) : ref.release(is_deleted);
    if (released.reached_zero)
      unused.push_back(ref);
  }
  for (size_t i = arguments.refs.size(); i-- > 0;)
    if (arguments.refs[i].mapping && copies_back(arguments.type(i)) && arguments.bytes(i) > 0 &&
        (arguments.has(i, map_type::kAlways) || llvm::is_contained(unused, arguments.refs[i].ref())))
      if (const Copy copy = copy_of(arguments, i); copy.size > 0)
        add_copy(lost, copy);
  for (const MappingRef ref : unused)
    (void)map.remove_if_unused(ref);
}

} // namespace

Status exit_ended_device(const Call &call, const MapList &list) {
  Device *const device = ended_device_for(call.device_number);
  if (!device)
    return Status::ok();
  MapArguments arguments(list);
  OMPTARGET_TRY(prepare(arguments, call.code, true));
  llvm::SmallVector<MappingRef, 2> awaited;
  OMPTARGET_TRY(look_up_exit(device->map(), device->uses_host_memory(), arguments, awaited));
  llvm::SmallVector<Copy, 4> lost;
  release(device->map(), arguments, lost);
  for (const Copy &copy : lost)
    OMPTARGET_TRY(lose(call, *device, copy, kNotCopiedBack));
  return Status::ok();
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
    OMPTARGET_TRY(check_range(begin, size, item.name));
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
