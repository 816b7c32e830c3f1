// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/data_region.h"

#include <cstring>

#include "base/log.h"
#include "region/lost_data.h"
#include "region/map_arguments.h"
#include "region/present_constructs.h"
#include "region/run_construct.h"
#include "region/unfit_module.h"

namespace omptarget {

namespace {

/// Writes device addresses back to the caller's bases (use_device_ptr, use_device_addr).
void return_addresses(const MapItems &items, void **bases) {
  for (const MapItem &item : items) {
    if (!item.has(map_type::kReturnParam) || item.argument < 0)
      continue;
    HostPtr base = base_of(item);
    // Absent data keep their host address (OpenMP 5.2, section 5.4.8), or with fb_nullify becomes null (6.1).
    if (!item.mapping && !(item.flags & kItemHostPointer)) {
      observe::mapping_missing(item.name);
      if (item.has(map_type::kNullify))
        base = HostPtr{};
    }
    const std::optional<DevicePtr> target = item.mapping ? target_of(item.mapping, base) : std::nullopt;
    bases[item.argument] = target ? raw(*target) : raw(base);
  }
}

void trace_begin(const Device &device, const Call &call, const MapList &list) {
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device.id(), "%s with %d arguments", call.construct, list.count);
}

/// The items of a list, of which refs tells what is known already. False: the host does the construct.
Result<bool> gather(Device &device, const Call &call, const MapList &list, const PresentRefs &refs, bool is_reported,
                    MapItems &items) {
  if (!is_reported)
    trace_begin(device, call, list);
  OMPTARGET_TRY(gather_items(list, items, call.code));
  set_present(items, refs);
  if (!device.has_unfit_modules()) [[likely]]
    return true;
  OMPTARGET_TRY(find_offsets(items, call.code));
  OMPTARGET_TRY_ASSIGN(const bool is_hosts, is_for_host(device, call, items));
  return !is_hosts;
}

/// Gives back what a construct has retained before it failed.
[[gnu::cold, gnu::noinline]] Status abandon(Device &device, const MapList &list, const PresentRefs &refs,
                                            Status failure) {
  MapItems items;
  gather_items(list, items).consume(); // has been read before
  set_present(items, refs);
  DeviceWork(device).abandon(items).consume(); // the first failure is what counts
  return failure;
}

/// refs: what is retained already. report: of a construct whose begin was told, or null.
[[gnu::noinline]] Status enter_planned(Device &device, const Call &call, const MapList &list, const PresentRefs &refs,
                                       const DirectReport *report) {
  MapItems items;
  OMPTARGET_TRY_ASSIGN(const bool is_here, gather(device, call, list, refs, report != nullptr, items));
  if (!is_here)
    return Status::ok();
  return run_construct(device, call, {observe::ConstructKind::kEnterData, list}, report, [&](DeviceWork &work) {
    OMPTARGET_TRY(work.enter_data(items));
    ReportedConstruct::report_items(items);
    return_addresses(items, list.bases);
    return Status::ok();
  });
}

[[gnu::always_inline]] inline Status enter_here(Device &device, const Call &call, const MapList &list,
                                                DirectReport *report) {
  PresentRefs refs;
  Status status;
  if (enter_directly(device, list, refs, report, status))
    return status.is_ok() ? Status::ok() : abandon(device, list, refs, std::move(status));
  return enter_planned(device, call, list, refs, report);
}

/// refs: what is found and still counted, or nothing. report: as above.
[[gnu::noinline]] Status exit_planned(Device &device, const Call &call, const MapList &list, const PresentRefs &refs,
                                      const DirectReport *report) {
  MapItems items;
  OMPTARGET_TRY_ASSIGN(const bool is_here, gather(device, call, list, refs, report != nullptr, items));
  if (!is_here)
    return leave_ended_device(call, list);
  return run_construct(device, call, {observe::ConstructKind::kExitData, list}, report, [&](DeviceWork &work) {
    OMPTARGET_TRY(work.start_exit(items, !refs.empty()));
    if (refs.empty()) // otherwise they were told
      ReportedConstruct::report_items(items);
    return Status::ok();
  });
}

[[gnu::always_inline]] inline Status exit_here(Device &device, const Call &call, const MapList &list,
                                               DirectReport *report) {
  PresentRefs refs;
  Status status;
  if (!leave_directly(device, list, refs, report, status))
    status.keep_first(exit_planned(device, call, list, refs, report));
  return status;
}

[[gnu::noinline]] Status update_planned(Device &device, const Call &call, const MapList &list, const PresentRefs &,
                                        const DirectReport *report) {
  MapItems items;
  OMPTARGET_TRY_ASSIGN(const bool is_here, gather(device, call, list, {}, report != nullptr, items));
  if (!is_here)
    return update_ended_device(call, list);
  OMPTARGET_TRY(find_offsets(items, call.code));
  return run_construct(device, call, {observe::ConstructKind::kUpdate, list}, report,
                       [&](DeviceWork &work) { return work.start_update(items); });
}

[[gnu::always_inline]] inline Status update_here(Device &device, const Call &call, const MapList &list,
                                                 DirectReport *report) {
  Status status;
  if (update_directly(device, list, report, status))
    return status;
  return update_planned(device, call, list, {}, report);
}

/// A data construct: what carries it out, without a plan if that is enough, and by plans.
using CarryOut = Status (*)(Device &, const Call &, const MapList &, DirectReport *);
using Plan = Status (*)(Device &, const Call &, const MapList &, const PresentRefs &, const DirectReport *);

template <observe::ConstructKind kKind, CarryOut carry_out>
[[gnu::cold, gnu::noinline]] Status observed_on(Device &device, const Call &call, const MapList &list) {
  const ReportedConstruct reported(call, device, kKind, list);
  trace_begin(device, call, list);
  DirectReport report(device, list);
  return carry_out(device, call, list, &report);
}

/// Constructs of modules that have no image for the device may be the host's.
template <observe::ConstructKind kKind, CarryOut carry_out, Plan plan>
[[gnu::always_inline]] inline Status on_device(Device &device, const Call &call, const MapList &list) {
  if (!may_be_direct(device, call) || device.has_unfit_modules()) [[unlikely]]
    return plan(device, call, list, {}, nullptr);
  if (is_observed()) [[unlikely]]
    return observed_on<kKind, carry_out>(device, call, list);
  return carry_out(device, call, list, nullptr);
}
Status enter_on(Device &device, const Call &call, const MapList &list) {
  return on_device<observe::ConstructKind::kEnterData, enter_here, enter_planned>(device, call, list);
}
Status exit_on(Device &device, const Call &call, const MapList &list) {
  return on_device<observe::ConstructKind::kExitData, exit_here, exit_planned>(device, call, list);
}
Status update_on(Device &device, const Call &call, const MapList &list) {
  return on_device<observe::ConstructKind::kUpdate, update_here, update_planned>(device, call, list);
}

template <auto construct, auto host> [[gnu::noinline]] Status on_any_device(const Call &call, const MapList &list) {
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, device_for(call.device_number));
  return device ? construct(*device, call, list) : host(call, list);
}

/// construct(device, call, list) on the call's device, or host(call, list) if there is none.
template <auto construct, auto host> Status on_device_of(const Call &call, const MapList &list) {
  if (const DeviceUse ready = ready_device_for(call.device_number)) [[likely]]
    return construct(*ready, call, list);
  return on_any_device<construct, host>(call, list);
}

Status do_nothing(const Call &, const MapList &) { return Status::ok(); }

} // namespace

Status enter_data(const Call &call, const MapList &list) { return on_device_of<enter_on, do_nothing>(call, list); }

Status exit_data(const Call &call, const MapList &list) {
  return on_device_of<exit_on, leave_ended_device>(call, list);
}

Status update_data(const Call &call, const MapList &list) {
  return on_device_of<update_on, update_ended_device>(call, list);
}

} // namespace omptarget
