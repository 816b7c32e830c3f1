// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/data_constructs.h"

#include <memory>

#include "base/log.h"
#include "region/data_update.h"
#include "region/ended_device.h"
#include "region/left_construct.h"
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

// The kinds of data constructs. on_host() does what is left for the host. Entering and exiting need no plan if that is
// enough: directly(), which is complete on return, or start(), which starts it. plan() starts the items of it
// otherwise.

struct Enter {
  static constexpr observe::ConstructKind kKind = observe::ConstructKind::kEnterData;
  static DirectLaunch directly(Device &device, const MapList &list, PresentRefs &refs, bool is_observed,
                               Status &status) {
    if (!enter_directly(device, list, refs, is_observed, status)) [[unlikely]]
      return DirectLaunch::kNotEntered;
    return status.is_ok() ? DirectLaunch::kDone : DirectLaunch::kNotStarted;
  }
  static DirectLaunch start(LeftConstruct &construct, Status &status) { return construct.enter(status); }
  static Status plan(DeviceWork &work, MapItems &items, const MapList &list) {
    OMPTARGET_TRY(work.enter_data(items));
    report_placed(items);
    return_addresses(items, list.bases);
    return Status::ok();
  }
  static Status on_host(const Call &, const MapList &) { return Status::ok(); }
};

struct Exit {
  static constexpr observe::ConstructKind kKind = observe::ConstructKind::kExitData;
  static DirectLaunch directly(Device &device, const MapList &list, PresentRefs &refs, bool is_observed,
                               Status &status) {
    return leave_directly(device, list, refs, is_observed, status) ? DirectLaunch::kDone : DirectLaunch::kNotEntered;
  }
  static DirectLaunch start(LeftConstruct &construct, Status &) { return construct.leave_data(); }
  static Status plan(DeviceWork &work, MapItems &items, const MapList &) {
    OMPTARGET_TRY(work.start_exit(items, false));
    report_placed(items);
    return Status::ok();
  }
  static Status on_host(const Call &call, const MapList &list) { return leave_ended_device(call, list); }
};

struct Update {
  static constexpr observe::ConstructKind kKind = observe::ConstructKind::kUpdate;
  static Status on_host(const Call &call, const MapList &list) { return update_ended_device(call, list); }
};

/// An update with nowait that outlives its call.
class DeferredUpdate final : public DeferredConstruct {
public:
  DeferredUpdate(Device &device, const Call &call, const MapList &list)
      : DeferredConstruct(device, call, Update::kKind, list), update_(device) {}

  static Status run(Device &device, const Call &call, const MapList &list, void *&slot) {
    auto deferred = std::make_unique<DeferredUpdate>(device, call, list);
    OMPTARGET_TRY(deferred->update_.start(list, call.code, false));
    return deferred->update_.is_busy() ? leave(std::move(deferred), slot) : deferred->update_.finish();
  }

private:
  Status complete() override { return update_.finish(); }
  Result<bool> is_done() override { return update_.is_done(); }
  bool has_turn(MappingRef) const override { return false; }

  DataUpdate update_;
};

template <typename Kind>
Status start_planned(DeviceWork &work, const Call &call, const MapList &list, const PresentRefs &refs) {
  MapItems items;
  OMPTARGET_TRY(gather_items(list, refs, items, call.code));
  return Kind::plan(work, items, list);
}
template <typename Kind>
[[gnu::noinline]] Status run_planned(Device &device, const Call &call, const MapList &list, const PresentRefs &refs) {
  DeviceWork work(device);
  OMPTARGET_TRY(start_planned<Kind>(work, call, list, refs));
  return work.complete();
}

/// Carries out a construct to its end.
template <typename Kind>
[[gnu::always_inline]] inline Status run_to_end(Device &device, const Call &call, const MapList &list,
                                                bool is_observed) {
  PresentRefs refs;
  Status status;
  const DirectLaunch so_far = Kind::directly(device, list, refs, is_observed, status);
  if (so_far == DirectLaunch::kDone) [[likely]]
    return status;
  if (so_far == DirectLaunch::kNotEntered)
    return run_planned<Kind>(device, call, list, refs);
  return conclude(device, nullptr, list, refs, so_far, std::move(status));
}
template <> inline Status run_to_end<Update>(Device &device, const Call &call, const MapList &list, bool is_observed) {
  DataUpdate update(device, is_observed);
  OMPTARGET_TRY(update.start(list, call.code, true));
  return update.finish();
}

template <typename Kind>
[[gnu::cold, gnu::noinline]] Status run_observed(Device &device, const Call &call, const MapList &list) {
  const ReportedConstruct reported(call, device, Kind::kKind, list);
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device.id(), "%s with %d arguments", call.construct, list.count);
  return run_to_end<Kind>(device, call, list, true);
}

template <typename Kind>
[[gnu::noinline]] Status run_and_leave(Device &device, const Call &call, const MapList &list, void *&slot) {
  return LeftConstruct::run(
      std::make_unique<LeftConstruct>(device, call, Kind::kKind, list, nullptr), slot, Kind::start,
      [&](DeviceWork &work, const PresentRefs &refs) { return start_planned<Kind>(work, call, list, refs); });
}
template <> Status run_and_leave<Update>(Device &device, const Call &call, const MapList &list, void *&slot) {
  return DeferredUpdate::run(device, call, list, slot);
}

/// Carries out a construct whose items are known.
template <typename Kind> Status run_items(Device &device, MapItems &items, const MapList &list) {
  DeviceWork work(device);
  OMPTARGET_TRY(Kind::plan(work, items, list));
  return work.complete();
}
template <> Status run_items<Update>(Device &device, MapItems &items, const MapList &) {
  DataUpdate update(device);
  OMPTARGET_TRY(update.start(items, true));
  return update.finish();
}

/// Some module has no image on the device. If none fits, its constructs are the host's, and those of others are the
/// device's.
template <typename Kind>
[[gnu::cold, gnu::noinline]] Status run_beside_unfit(Device &device, const Call &call, const MapList &list) {
  MapItems items;
  OMPTARGET_TRY(gather_items(list, items, call.code));
  OMPTARGET_TRY(find_offsets(items, call.code));
  OMPTARGET_TRY_ASSIGN(const bool is_hosts, is_for_host(device, call, items));
  if (is_hosts)
    return Kind::on_host(call, list);
  OMPTARGET_TRY(check_variables(device, items));
  const ReportedConstruct reported(call, device, Kind::kKind, list);
  return run_items<Kind>(device, items, list);
}

template <typename Kind>
[[gnu::always_inline]] inline Status run_on(Device &device, const Call &call, const MapList &list) {
  if (device.lacks_images()) [[unlikely]]
    return run_beside_unfit<Kind>(device, call, list);
  if (call.is_nowait)
    if (void **slot = DeferredConstruct::free_slot(device, call))
      return run_and_leave<Kind>(device, call, list, *slot);
  if (is_observed()) [[unlikely]]
    return run_observed<Kind>(device, call, list);
  return run_to_end<Kind>(device, call, list, false);
}

template <typename Kind> [[gnu::noinline]] Status run_on_any_device(const Call &call, const MapList &list) {
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, device_for(call.device_number));
  return device ? run_on<Kind>(*device, call, list) : Kind::on_host(call, list);
}

template <typename Kind> Status run(const Call &call, const MapList &list) {
  if (const DeviceUse ready = ready_device_for(call.device_number)) [[likely]]
    return run_on<Kind>(*ready, call, list);
  return run_on_any_device<Kind>(call, list);
}

} // namespace

Status enter_data(const Call &call, const MapList &list) { return run<Enter>(call, list); }

Status exit_data(const Call &call, const MapList &list) { return run<Exit>(call, list); }

Status update_data(const Call &call, const MapList &list) { return run<Update>(call, list); }

} // namespace omptarget
